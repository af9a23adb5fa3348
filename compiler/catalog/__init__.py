"""The tools that are known at compile time: names, schemas, effects."""
