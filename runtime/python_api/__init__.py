"""flowc in Python: a workflow as a value that is checked, drawn, run, resumed and forked."""
