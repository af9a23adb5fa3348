"""The front end for step markdown."""
