"""Requests and responses of the service's operations, with examples and links."""
