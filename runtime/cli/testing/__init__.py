"""Commands that try workflows out: test, torture."""
