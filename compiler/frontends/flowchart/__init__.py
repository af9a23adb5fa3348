"""The front ends for flowchart markdown and plain mermaid."""
