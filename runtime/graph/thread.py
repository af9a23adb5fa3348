"""The LangGraph thread of a run."""

from __future__ import annotations

from typing import Any

from langchain_core.runnables import RunnableConfig


def thread_config(run: str, checkpoint: str | None = None) -> RunnableConfig:
    """The outer graph's thread of a run. Only a bare thread is ever resumed: naming a checkpoint
    would make new effect keys and so repeat what was done.
    """
    configurable: dict[str, Any] = {"thread_id": run, "checkpoint_ns": ""}
    if checkpoint is not None:
        configurable["checkpoint_id"] = checkpoint
    return {"configurable": configurable}
