"""What a model is writing, on its way from a worker to whoever looks at the moment."""
