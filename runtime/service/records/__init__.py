"""The service's tables: tokens, messages, work, metrics."""
