"""Settings of a tool, said by their names beside what it does."""
