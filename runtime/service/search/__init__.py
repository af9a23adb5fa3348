"""Which executions, and which runs beside them, a list shows: as queries that an index answers."""
