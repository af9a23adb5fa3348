"""Everything after compile; the only place that imports langgraph."""
