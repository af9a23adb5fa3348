"""The network, as nodes that send requests reach it."""
