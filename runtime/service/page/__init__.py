"""The page of the service: HTML made here, made live by htmx and a small script of our own."""
