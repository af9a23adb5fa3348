"""What flowc relies on of LangGraph beyond its public interface: every key, name and row of it."""
