"""`flowc lsp`: the language server that editors start."""

from __future__ import annotations

from typing import Annotated

import typer

from ...errors import RunError
from ..app import USAGE


def lsp(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="talk over stdin and stdout; the only way there is")
    ] = True,
) -> None:
    """Serve one editor over stdin and stdout, for all workflow files: diagnostics while typing,
    hover, definitions, references, rename, fixes, completion and outline. See docs/editor.md."""
    del stdio
    try:
        from ...lsp.features import serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise RunError(
            "the language server needs pygls, which is not here",
            help="pip install 'flowc[lsp]'",
            exit_code=USAGE,
        ) from None
    serve()
