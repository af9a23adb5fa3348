"""Where runs are kept: opening, listing, retention, the audit log."""
