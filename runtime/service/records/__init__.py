"""The service's tables: who may do what, tokens, messages, work, metrics."""
