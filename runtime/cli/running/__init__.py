"""Commands that run workflows and look at runs."""
