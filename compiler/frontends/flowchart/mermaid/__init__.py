"""The mermaid chart inside a flowchart: nodes, edges, captions."""
