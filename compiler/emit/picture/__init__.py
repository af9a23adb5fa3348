"""Pictures as text: mermaid and DOT, from one description of boxes and arrows."""
