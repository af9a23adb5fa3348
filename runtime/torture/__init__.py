"""Torture: a workflow is killed again and again, resumed, and judged by what it did."""
