"""Flow YAML, the text form of the IR."""
