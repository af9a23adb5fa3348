"""The state of a LangGraph thread: channels, reducers, interrupts."""
