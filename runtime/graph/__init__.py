"""From `GraphSpec` to a LangGraph `StateGraph`, and back from its history."""
