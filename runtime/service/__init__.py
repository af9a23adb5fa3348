"""The orchestration service: the contract's operations over HTTP, on the durable engine."""
