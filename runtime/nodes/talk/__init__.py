"""A conversation with a model inside one visit: calls, tools, verdicts."""
