"""Webhooks: what the service tells addresses by itself, signed, and signed requests from others."""
