"""What goes from a conversation that has grown too long (J12)."""

from __future__ import annotations

from collections.abc import Sequence

from ..services import Message


def grown(
    there: Sequence[Message], new: Sequence[Message], max_chars: int, keep_min: int
) -> list[Message]:
    """Return the messages with new ones added, one after another, and cut after each."""
    messages = list(there)
    for message in new:
        messages.append(message)
        trimmed = trim(messages, max_chars, keep_min)
        messages = messages if trimmed is None else trimmed
    return messages


def trim(messages: Sequence[Message], max_chars: int, keep_min: int) -> list[Message] | None:
    """Return the messages without the oldest ones that are too many (J12); None when nothing has to
    go."""
    total = sum(_length(message) for message in messages)
    others = sum(message["role"] != "system" for message in messages)
    if total <= max_chars or others <= keep_min:
        return None
    systems, rest = [], []
    for message in messages:
        if message["role"] == "system":
            systems.append(message)
        elif total > max_chars and others > keep_min:
            total -= _length(message)
            others -= 1
        else:
            rest.append(message)
    return [*systems, *rest]


def _length(message: Message) -> int:
    """Return characters of a content that is a text."""
    content = message.get("content")
    return len(content) if isinstance(content, str) else 0
