"""Requests of visitors, HTML for them, their forms, and the files that pages load."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from flowc.compiler.emit.html.page import picture_style
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from ..api.context import post_once, service_of
from ..api.sessions import COOKIE, LASTS, form_sign, new_visit, require_sign
from ..bodies.read_body import SIMPLE, SentForm
from ..bodies.request_pool import READERS
from ..operations.executions import Executing
from ..records.access import SCOPES, Caller, Scope, digest_of
from ..records.errors import ServiceFault
from ..records.tables import StoredExecution
from . import words

SIGN_IN = "/sign-in"


class SignedOut(Exception):
    """The visitor has to sign in first."""


@dataclass(frozen=True, slots=True)
class PageVisit:
    """One request of a visitor. `value` is that of their cookie, which the response sets when it is
    `fresh`."""

    request: Request
    value: str
    fresh: bool
    caller: Caller | None

    @property
    def who(self) -> Caller:
        """The caller. Raises `SignedOut` for nobody."""
        if self.caller is None:
            raise SignedOut
        return self.caller

    def may_approve(self, execution: StoredExecution) -> bool:
        """Return whether the visitor may approve the execution's commands."""
        try:
            self.executing.require_approver(self.who, execution)
        except ServiceFault:
            return False
        return True

    @property
    def executing(self) -> Executing:
        return service_of(self.request).executing

    def may(self, scope: Scope) -> bool:
        """Return whether the visitor may do what needs this scope."""
        return self.caller is not None and SCOPES.index(self.caller.scope) >= SCOPES.index(scope)


async def visit_of(request: Request) -> PageVisit:
    """Return the visit of a request, within the visitor's rate. Raises `ServiceFault`."""
    service = service_of(request)
    value = request.cookies.get(COOKIE, "")
    caller = None
    if service.trusted and not await service.tokens.any():
        caller = await service.caller(None)
    elif value:
        caller = await service.sessions.caller(value, service.executing.clock())
    if caller is not None:
        service.rate.take(caller)
    return PageVisit(request, value or new_visit(), not value, caller)


Visiting = Annotated[PageVisit, Depends(visit_of)]


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader(__package__, ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["clock"] = words.clock_of
    made.filters["moment"] = words.moment_of
    made.filters["seconds"] = words.seconds_of
    made.filters["cost"] = words.cost_of
    made.filters["cut"] = words.cut_of
    return made


def load_pages() -> None:
    """Compile every template: the first page of a kind takes no longer than the next."""
    environment = _environment()
    for name in environment.list_templates(extensions=["html"]):
        environment.get_template(name)


def html(visit: PageVisit, template: str, status: int = 200, **shown: object) -> HTMLResponse:
    """Return the page that a template makes of escaped values."""
    once = secrets.token_hex(12)
    text = (
        _environment()
        .get_template(template)
        .render(
            visit=visit,
            once=once,
            signed=partial(_form_fields, visit, once),
            address=address,
            **shown,
        )
    )
    text = text.encode("utf-8", "replace").decode()
    answer = HTMLResponse(text, status, {"Cache-Control": "no-store", "Vary": "HX-Request"})
    if visit.fresh:
        set_cookie(visit.request, answer, visit.value)
    return answer


def _form_fields(visit: PageVisit, once: str, of: str = "") -> Markup:
    """Return the hidden fields of every form: its sign, and the key that makes it count once."""
    hidden = '<input type="hidden" name="{}" value="{}">'
    kept = (("sign", form_sign(visit.value)), ("once", f"{once}{of}"[:200]))
    return Markup("").join(Markup(hidden).format(name, value) for name, value in kept)


def set_cookie(request: Request, answer: Response, value: str) -> None:
    """Set the visitor's cookie, for this site alone and out of reach of scripts."""
    secure = request.url.scheme == "https"
    age = int(LASTS.total_seconds())
    answer.set_cookie(COOKIE, value, age, httponly=True, samesite="strict", secure=secure)


def leads_to(visit: PageVisit, place: str) -> Response:
    """Go on at another page of ours."""
    if "hx-request" in visit.request.headers:
        # As RedirectResponse does it: a place may hold anything, the end of the header too.
        there = quote(place, safe=":/%#?=@[]!$&'()*+,;")
        return Response(status_code=204, headers={"HX-Redirect": there})
    return RedirectResponse(place, 303)


async def form_of(visit: PageVisit) -> SentForm:
    """Return the fields of a visitor's form. Raises `SignedOut` before it is received when nobody
    is signed in, and `ServiceFault`; also for one that is not ours."""
    visit.who.require("operate")
    return await open_form_of(visit)


async def open_form_of(visit: PageVisit) -> SentForm:
    """Return the fields of a form that nobody has to be signed in for. Raises `ServiceFault`."""
    form = await _form_in(visit.request)
    require_sign("" if visit.fresh else visit.value, form.text("sign"))
    return form


async def _form_in(request: Request) -> SentForm:
    """Return a form. Starlette decodes it byte by byte on the event loop: a megabyte of `&` would
    hold it for seconds."""
    parts = [part async for part in request.stream() if part]
    form = await READERS.read_form(request.headers.get("content-type", SIMPLE), parts)
    if form.fault is not None:
        raise ServiceFault.from_answer(form.fault)
    return form


async def operate(
    visit: PageVisit, form: SentForm, do: Callable[[], Awaitable[BaseModel]]
) -> dict[str, Any]:
    """Do what a form asks for, once, and return the API's response. Raises `ServiceFault`."""
    # As a digest: a field may hold what no key may.
    once = digest_of(given) if (given := form.text("once")) else None
    _, body = await post_once(visit.request, visit.who, once, form.digest, do)
    if not body["success"]:
        raise ServiceFault.from_answer(body)
    return body


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
    """Return the bytes of one of `ASSETS`; the style holds that of pictures."""
    data = files(__package__).joinpath(name).read_bytes()
    if name == "page.css":
        data += picture_style(query="(prefers-color-scheme:dark)").encode()
    return data


@cache
def address(name: str) -> str:
    """Return the address of an asset. It changes with the bytes, so browsers may keep them."""
    return f"/static/{hashlib.sha256(asset(name)).hexdigest()[:12]}/{name}"


def add_assets(app: FastAPI) -> None:
    """Add the path of the assets."""

    @app.get("/static/{digest}/{name}", include_in_schema=False)
    async def static(request: Request, digest: str, name: str) -> Response:
        if name not in ASSETS:
            raise HTTPException(404)
        kept = "public, max-age=31536000, immutable"
        return Response(asset(name), media_type=ASSETS[name], headers={"Cache-Control": kept})
