"""The functions of the service's operations."""
