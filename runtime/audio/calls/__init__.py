"""One call of an audio tool: its files, its locks, its process."""
