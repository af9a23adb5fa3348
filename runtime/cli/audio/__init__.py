"""`flowc audio`: measure, apply, report."""
