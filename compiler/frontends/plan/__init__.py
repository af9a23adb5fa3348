"""The front end for living documents (`workflow.md`)."""
