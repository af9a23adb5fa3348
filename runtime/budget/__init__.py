"""What model calls may use up, and the ledger that keeps it."""
