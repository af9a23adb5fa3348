"""A store in SQLite."""
