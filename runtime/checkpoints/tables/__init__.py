"""LangGraph's tables: its savers on flowc's connections, and its rows read, ordered and dropped."""
