"""The front end for state machines in JSON."""
