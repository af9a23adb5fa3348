"""A visitor's requests: who sends them, the HTML that answers them, the forms that they send."""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pydantic import BaseModel
from starlette.datastructures import FormData

from ..api.context import post_once, service_of
from ..api.sessions import COOKIE, LASTS, form_sign, new_visit, require_sign
from ..records.errors import ServiceFault
from ..records.tokens import SCOPES, Caller, Scope, digest_of
from . import words
from .assets import address

SIGN_IN = "/sign-in"


class SignedOut(Exception):
    """The visitor has to sign in first."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a visitor. `value` is that of their cookie, which is set when it is
    `fresh`."""

    request: Request
    value: str
    fresh: bool
    caller: Caller | None

    @property
    def who(self) -> Caller:
        """Raises `SignedOut` for nobody."""
        if self.caller is None:
            raise SignedOut
        return self.caller

    def may(self, scope: Scope) -> bool:
        """Whether the visitor may do what needs this scope."""
        return self.caller is not None and SCOPES.index(self.caller.scope) >= SCOPES.index(scope)


async def visit_of(request: Request) -> Visit:
    """Who sent a request, within the rate that they have. Raises `ServiceFault`."""
    service = service_of(request)
    value = request.cookies.get(COOKIE, "")
    caller = None
    if service.trusted and not await service.tokens.any():
        caller = await service.caller(None)
    elif value:
        caller = await service.sessions.caller(value, service.executing.clock())
    if caller is not None:
        service.rate.take(caller)
    return Visit(request, value or new_visit(), not value, caller)


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


def html(visit: Visit, template: str, status: int = 200, **shown: object) -> HTMLResponse:
    """The answer that a template makes. Everything that is shown is escaped."""
    once = secrets.token_hex(12)
    text = (
        _environment()
        .get_template(template)
        .render(
            visit=visit,
            once=once,
            signed=partial(_signed, visit, once),
            address=address,
            **shown,
        )
    )
    text = text.encode("utf-8", "replace").decode()
    answer = HTMLResponse(text, status, {"Cache-Control": "no-store", "Vary": "HX-Request"})
    if visit.fresh:
        set_cookie(visit.request, answer, visit.value)
    return answer


def _signed(visit: Visit, once: str, of: str = "") -> Markup:
    """The fields of every form: that it is ours, and that it is sent once."""
    hidden = '<input type="hidden" name="{}" value="{}">'
    kept = (("sign", form_sign(visit.value)), ("once", f"{once}{of}"[:200]))
    return Markup("").join(Markup(hidden).format(name, value) for name, value in kept)


def set_cookie(request: Request, answer: Response, value: str) -> None:
    """Keep who it is, for this site alone and out of reach of scripts."""
    secure = request.url.scheme == "https"
    age = int(LASTS.total_seconds())
    answer.set_cookie(COOKIE, value, age, httponly=True, samesite="strict", secure=secure)


def leads_to(visit: Visit, place: str) -> Response:
    """Go on at another page of ours."""
    if "hx-request" in visit.request.headers:
        # As RedirectResponse does it: a place may hold anything, the end of the header too.
        there = quote(place, safe=":/%#?=@[]!$&'()*+,;")
        return Response(status_code=204, headers={"HX-Redirect": there})
    return RedirectResponse(place, 303)


async def form_of(visit: Visit) -> FormData:
    """What a form holds. Raises `ServiceFault` for one that is not ours."""
    form = await visit.request.form(max_part_size=4_000_000)
    require_sign("" if visit.fresh else visit.value, field(form, "sign"))
    return form


def field(form: FormData, name: str) -> str:
    """The text in a field; "" where there is none."""
    value = form.get(name)
    return value.strip() if isinstance(value, str) else ""


async def operate(
    visit: Visit, form: FormData, about: object, do: Callable[[], Awaitable[BaseModel]]
) -> dict[str, Any]:
    """Do what a form asks for, once however often it is sent; what the API would have answered.
    Raises `ServiceFault`."""
    visit.who.require("operate")
    # As a digest: a field may hold what no key may.
    once = digest_of(given) if (given := field(form, "once")) else None
    answer = await post_once(visit.request, visit.who, once, about, do)
    told: dict[str, Any] = json.loads(bytes(answer.body))
    if not told["success"]:
        context = told["execution_context"]
        known = ("success", "error_code", "error_message", "execution_context", "recovery_options")
        raise ServiceFault(
            told["error_code"],
            told["error_message"],
            execution=context["execution_id"],
            step=context["current_step"],
            recovery=tuple(told["recovery_options"]),
            details={key: value for key, value in told.items() if key not in known},
        )
    return told
