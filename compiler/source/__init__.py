"""Texts and places: the only door of the compiler to the disk."""
