"""Bodies of requests, read beside the event loop: see `request_pool`."""
