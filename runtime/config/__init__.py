"""Settings from `flowc.toml`, and prices of models."""
