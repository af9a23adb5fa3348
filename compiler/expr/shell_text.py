"""A value as text that a shell reads as one word and never as commands (POSIX shell quoting).

word      between blanks          a'b      ->  'a'"'"'b'
double    inside "double quotes"  $HOME    ->  \\$HOME
single    inside 'single quotes'  a'b      ->  a'\\''b
"""

from __future__ import annotations

import re
import shlex

from .values import EvaluationError, Json, text_of

WHERE = ("word", "double", "single")
_SPECIAL_IN_DOUBLE = re.compile(r'([\\$`"])')


def shell_quote(value: Json, where: Json = "word") -> str:
    """The value's text form, quoted for the place where it stands. Raises `EvaluationError` for
    another place than those of `WHERE`."""
    text = text_of(value)
    if where == "word":
        return shlex.quote(text)
    if where == "double":
        return _SPECIAL_IN_DOUBLE.sub(r"\\\1", text)
    if where == "single":
        return text.replace("'", "'\\''")
    raise EvaluationError(f"shell_quote knows {', '.join(WHERE)}")
