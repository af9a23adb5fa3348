"""What can be wrong with a file: codes, findings with their places, fixes, rendering."""
