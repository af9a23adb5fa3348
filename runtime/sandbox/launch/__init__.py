"""The launcher: what a confined program's process does to itself before the program begins.

It runs in an interpreter of its own, as `launch.start`, without site packages and without flowc:
modules here import the standard library and each other, nothing else.
"""
