"""A project for LangGraph: a Python module and `langgraph.json`."""
