"""Signal processing, inside the worker process."""
