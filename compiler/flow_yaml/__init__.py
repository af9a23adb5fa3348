"""What flow YAML consists of: its keys, its JSON Schema, its canonical layout."""
