"""The texts that models are writing, sent from their workers to people who watch."""
