"""Workflows as tools for assistants, over MCP."""
