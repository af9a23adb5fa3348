"""One visit of a node: entry, limits, retries, spending."""
