"""The interactive page: a picture with its details, in one file."""
