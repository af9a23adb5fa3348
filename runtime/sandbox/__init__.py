"""Where foreign commands run."""
