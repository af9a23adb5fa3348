"""What an editor asks of a file: symbols, hover, completion, rename."""
