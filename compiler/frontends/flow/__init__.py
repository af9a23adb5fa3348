"""The front end for flow YAML."""
