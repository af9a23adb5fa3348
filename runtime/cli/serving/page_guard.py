"""Which web pages may use the server of `flowc dev`, and of a compiled project on this machine:
Studio's, and those of this machine.

That server asks for no token and answers whatever page a person looks at: any could start a
workflow, read what it says and answer the question whether its commands may run. A browser says
whose page sends a request; programs say nothing, and are answered. A site whose name leads to this
machine is told from it by the name that it uses.

`langgraph.json` names the applications; the server adds its routes to the one that it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import JSONResponse

from ..listening import LOOPBACK

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

STUDIO = "smith.langchain.com"
"""Where Studio is; regions have names below it."""


class PageGuard:
    """Refuses what pages of other sites send. Where `local`, requests use a name of this machine
    alone. None: all of this where the server listens on this machine, and else nothing, because
    a deployed server has whoever stands before it."""

    def __init__(self, app: ASGIApp, local: bool | None) -> None:
        self.app = app
        self.local = local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        local = self.local
        if local is None:
            local = (scope.get("server") or ("",))[0] in LOOPBACK
            origin = origin if local else None
        if local and _name_in(f"//{host}") not in LOOPBACK:
            refusal = "this server is spoken to under a name of this machine"
        elif origin is not None and not _may_use(origin, host):
            refusal = "a page of another site sent this: Studio and pages of this machine may"
        else:
            await self.app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})
        else:
            await JSONResponse({"detail": refusal}, 403)(scope, receive, send)


def _may_use(origin: str, host: str) -> bool:
    name = _name_in(origin)
    if name in LOOPBACK or origin.partition("://")[2] == host:
        return True
    is_studio = name == STUDIO or name.endswith(f".{STUDIO}")
    return is_studio and origin.startswith("https://")


def _name_in(address: str) -> str:
    """Return the host name of an address; "" where there is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def http_settings(host: str) -> Mapping[str, object]:
    """Return what `langgraph.json` says of requests, for a server that listens at `host`."""
    app = "on_this_machine" if host in LOOPBACK else "beyond_this_machine"
    return {"app": f"{__name__}:{app}"}


on_this_machine = Starlette(middleware=[Middleware(PageGuard, local=True)])
beyond_this_machine = Starlette(middleware=[Middleware(PageGuard, local=False)])
compiled = Starlette(middleware=[Middleware(PageGuard, local=None)])
