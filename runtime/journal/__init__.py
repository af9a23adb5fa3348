"""The write-ahead journal of effects: no side effect happens twice."""
