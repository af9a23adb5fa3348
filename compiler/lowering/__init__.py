"""From a program to `GraphSpec`, the lowered form in LangGraph's words."""
