"""Graphs that leave flowc: for programs of LangGraph's, and for the modules of `flowc compile`."""
