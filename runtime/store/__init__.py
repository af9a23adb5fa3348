"""Runs in a store: opening, listing, forgetting, the audit log."""
