"""Files of a run: allowed roots, temporary folders, writes that appear whole."""
