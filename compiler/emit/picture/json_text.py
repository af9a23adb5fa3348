"""A workflow's picture as JSON: nodes and edges as `flowc inspect` lists them, and a run's path."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .picture import Overlay

_KEYS = ("schema_version", "file", "name", "title", "nodes", "edges")


def emit_json(summary: Mapping[str, Any], overlay: Overlay | None = None) -> str:
    """Return the picture's text, made from the summary of a compilation."""
    body: dict[str, Any] = {key: summary[key] for key in _KEYS}
    if overlay is not None:
        body["run"] = {
            "path": list(overlay.path),
            "seconds": dict(overlay.seconds),
            "current": overlay.current,
        }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"
