"""Texts and names of flow YAML: where they come from, and what is odd about them."""
