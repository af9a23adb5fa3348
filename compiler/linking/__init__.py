"""From one file to a program: called files are read, names are bound."""
