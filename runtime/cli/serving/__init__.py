"""Commands that start servers: serve, worker, mcp."""
