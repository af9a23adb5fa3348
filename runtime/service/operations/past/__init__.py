"""What was before in an execution: its checkpoints, and branches from one of them."""
