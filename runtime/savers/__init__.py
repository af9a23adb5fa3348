"""What all savers of checkpoints can do, whatever they keep them in."""
