"""A client that answers in place of the model, one turn after another."""
