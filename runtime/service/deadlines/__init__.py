"""What time brings about in executions, also where nobody does anything."""
