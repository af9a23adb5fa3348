"""Sound in a living document: criteria, contradictions, the report."""
