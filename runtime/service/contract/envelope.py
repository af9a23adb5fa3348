"""What every answer of an operation has."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class Answer(BaseModel):
    """Every answer says whether it is one."""

    success: Literal[True] = True
    error: None = None
