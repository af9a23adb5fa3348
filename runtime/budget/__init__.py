"""Budgets of model calls, and the ledger of their charges."""
