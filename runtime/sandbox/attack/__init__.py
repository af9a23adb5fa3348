"""Attacks on the sandbox of the machine one has, with secrets that were laid out for them."""
