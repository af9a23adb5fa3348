"""The front end for orchestration contracts in JSON."""
