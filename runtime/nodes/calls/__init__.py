"""Calls of functions and of hosts: one effect each."""
