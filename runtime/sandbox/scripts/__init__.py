"""Scripts of workflows, in worker processes."""
