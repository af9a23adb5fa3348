"""Models: providers through LangChain, scripted answers."""
