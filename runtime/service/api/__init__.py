"""The HTTP surface: routes, streams, limits, sessions."""
