"""The functions in scripts of state machines; they are found, never run."""
