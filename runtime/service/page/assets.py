"""The files that the page loads from us: its style, its script and htmx."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from fastapi import FastAPI, Request
from fastapi.responses import Response
from flowc.compiler.emit.html.page import picture_style
from starlette.exceptions import HTTPException

ASSETS = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
HTMX_VERSION = "2.0.11"
HTMX_DIGEST = "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"
"""SHA-256 of `dist/htmx.min.js` in the package htmx.org of that version."""


@cache
def asset(name: str) -> bytes:
    """The bytes of one of `ASSETS`; the style holds that of pictures."""
    data = files(__package__).joinpath(name).read_bytes()
    if name == "page.css":
        data += picture_style(query="(prefers-color-scheme:dark)").encode()
    return data


@cache
def address(name: str) -> str:
    """Where it is loaded from: another address when it has changed, so it is kept for long."""
    return f"/static/{hashlib.sha256(asset(name)).hexdigest()[:12]}/{name}"


def add_assets(app: FastAPI) -> None:
    """Their paths."""

    @app.get("/static/{digest}/{name}", include_in_schema=False)
    async def static(request: Request, digest: str, name: str) -> Response:
        if name not in ASSETS:
            raise HTTPException(404)
        kept = "public, max-age=31536000, immutable"
        return Response(asset(name), media_type=ASSETS[name], headers={"Cache-Control": kept})
