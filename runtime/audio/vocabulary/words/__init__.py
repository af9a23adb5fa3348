"""The words of a request, their senses, and the phrases and rows of senses that are a call."""
