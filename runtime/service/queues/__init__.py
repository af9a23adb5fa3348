"""The news of executions on their way to workers: one interface, done by each kind of store."""
