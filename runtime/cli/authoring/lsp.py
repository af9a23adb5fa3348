"""`flowc lsp`: the language server that editors start."""

from __future__ import annotations

from typing import Annotated

import typer

from ...config.extras import require


def lsp(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="talk over stdin and stdout; the only way there is")
    ] = True,
) -> None:
    """Serve one editor over stdin and stdout, for all workflow files: diagnostics while typing,
    hover, definitions, references, rename, fixes, completion and outline. See docs/editor.md."""
    del stdio
    require("lsp", "the language server")
    from ...lsp.features import serve

    serve()
