"""How commands show events, questions and outcomes."""
