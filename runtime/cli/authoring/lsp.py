"""`flowc lsp`: the language server that editors start."""

from __future__ import annotations

from typing import Annotated

import typer

from ..app import require_extra


def lsp(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="talk over stdin and stdout; the only way there is")
    ] = True,
) -> None:
    """Serve one editor over stdin and stdout, for all workflow files: diagnostics while typing,
    hover, definitions, references, rename, fixes, completion and outline. See docs/editor.md."""
    del stdio
    require_extra("pygls.lsp.server", "lsp", "the language server needs pygls")
    from ...lsp.features import serve

    serve()
