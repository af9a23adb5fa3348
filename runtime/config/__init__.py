"""Settings from `flowc.toml`, trust in what they grant, and prices of models."""
