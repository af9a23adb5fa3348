"""The grammars of the languages, without meaning. `load(name)` gives a Lark parser, cached on disk.

The cache lies in the user's own cache folder (it is a pickle, so never in a shared one) and is
keyed by Lark over the grammar's text and options. A folder that cannot be written costs only time.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

from lark import Lark

_HERE = Path(__file__).parent


def cache_folder() -> Path | None:
    """Return the user's own cache folder of flowc, made if need be; None without one."""
    from platformdirs import user_cache_path

    folder = Path(os.environ.get("FLOWC_CACHE") or user_cache_path("flowc", appauthor=False))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        owned = not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()
    except OSError:
        return None
    return folder if owned and os.access(folder, os.W_OK) else None


@functools.cache
def load(
    name: str, start: str = "start", lexer: object = "contextual", transformer: object = None
) -> Lark:
    """Return the LALR parser of `name`.lark. `lexer` is "contextual" or a Lark lexer class. With a
    `transformer` its callbacks run while parsing and no tree is built. Positions are the tokens'.
    """
    folder = cache_folder()
    cache: bool | str = str(folder / f"{name}-{start}.lark-cache") if folder else False
    return Lark(
        (_HERE / f"{name}.lark").read_text(encoding="utf-8"),
        parser="lalr",
        lexer=lexer,
        start=start,
        transformer=transformer,
        maybe_placeholders=False,
        import_paths=[str(_HERE)],
        source_path=str(_HERE / f"{name}.lark"),
        cache=cache,
    )
