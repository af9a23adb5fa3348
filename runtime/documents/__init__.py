"""Living documents, kept in step with a run, byte for byte."""
