"""What a living document says of sound: criteria, contradictions, the report."""
