"""Everything after compile; the only place that imports langgraph."""

import os

# Read by langgraph when it is imported: without it a crafted checkpoint could run code when loaded.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
