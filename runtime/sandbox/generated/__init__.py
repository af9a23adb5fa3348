"""Python that a model wrote: the syntax gate, and its process."""
