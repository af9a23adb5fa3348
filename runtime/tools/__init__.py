"""Tools: built-in, Python functions, MCP servers."""
