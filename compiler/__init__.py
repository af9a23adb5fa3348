"""Text in; Workflow, GraphSpec or text out. Pure: no network, no clock, no langgraph."""

from __future__ import annotations
