"""A workflow's own tests: cases, coverage, reports."""
