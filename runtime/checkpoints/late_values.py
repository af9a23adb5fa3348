"""Values for channels of a run that waits, without another checkpoint: its tasks stay the ones that
were asked, and are answered, under the ids that they have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph._internal._constants import NULL_TASK_ID

from .keys import thread_config
from .types import Saver


async def put_late_values(saver: Saver, run: str, values: Mapping[str, Any]) -> None:
    """Keep values by channel, which LangGraph reads with the latest checkpoint."""
    latest = await saver.aget_tuple(thread_config(run))
    if latest is not None and values:
        await saver.aput_writes(latest.config, list(values.items()), NULL_TASK_ID)
