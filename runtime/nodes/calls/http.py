"""http: send one request to a host, as an effect like the call of a tool."""

from __future__ import annotations

import json
import time
from dataclasses import replace

from flowc.compiler.analysis.hosts import host_in, hosts_of
from flowc.compiler.expr.documents import read_json
from flowc.compiler.expr.values import EvaluationError
from flowc.compiler.ir import HttpNode, ResultPart

from ...context import EFFECT_KEY
from ...errors import Failure, InDoubt, one_line
from ...requests import HttpAnswer, HttpRequest, NotSure, Secret
from ...services import EffectCall, Json
from ..visit.visit import Done, Visit, assign, shorten

_SAID = 200
"""The characters of an answer that a failure tells."""
_OWN = {"json": "application/json", "text": "text/plain; charset=utf-8"}


async def run(visit: Visit, op: HttpNode) -> Done:
    """Send the request and put the parts of the answer into variables. Raise `Failure` for a status
    of 400 and above, unless a variable gets it, and for what is not JSON; what was sent and not
    answered is in doubt where it acts once."""
    request = _request(visit, op)
    host = host_in(request.url) or request.url[:_SAID]

    async def call() -> Json:
        started, status = time.monotonic(), 0
        try:
            key = EFFECT_KEY.get() or ""
            answer = await visit.services.sender.send(replace(request, key=key))
            status = answer.status
            _refuse_failed(op, answer, host)
            return {"status": status, "headers": dict(answer.headers), "text": answer.text}
        except NotSure as failure:
            if op.call_effect == "once":
                raise InDoubt(failure.message) from failure
            raise
        finally:
            seconds = round(time.monotonic() - started, 6)
            told = {"method": op.method, "host": host, "status": status, "seconds": seconds}
            visit.emit("request_sent", told)

    act = EffectCall(
        visit.runtime, f"request {op.method} {host}", op.call_effect, _inputs(request), call
    )
    result = await visit.services.journal.once(act)
    answer = _answer_of(result)
    variables = {part.variable: _part(part, answer) for part in op.parts}
    return Done(variables, text=shorten(f"{answer.status} {one_line(answer.text)}"))


def _request(visit: Visit, op: HttpNode) -> HttpRequest:
    """Return the request, its expressions evaluated. What goes behind `?` is quoted."""
    url = visit.text(op.url)
    query = assign(visit.scope, op.query)
    if query:
        import httpx

        try:
            given = {name: _query_value(visit, value) for name, value in query.items()}
            url = str(httpx.URL(url).copy_merge_params(given))
        except (httpx.InvalidURL, ValueError):
            raise Failure(f"`{shorten(url)}` is not a URL", "refused") from None
    headers = {h.name: visit.text(h.value) for h in op.headers if h.value is not None}
    secrets = {h.name: Secret(h.secret, h.prefix) for h in op.headers if h.value is None}
    body, form = None, ""
    if op.body is not None:
        body, form = json.dumps(visit.value(op.body), ensure_ascii=False), "json"
    elif op.text is not None:
        body, form = visit.text(op.text), "text"
    if form and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = _OWN[form]
    return HttpRequest(
        op.method, url, hosts_of(op), headers, secrets, body,
        node=visit.node.id, visit=visit.number, attempt=visit.attempt,
    )  # fmt: skip


def _query_value(visit: Visit, value: Json) -> str | list[str]:
    """Return the text of a value, or those of a list: it is repeated."""
    if isinstance(value, list):
        return [visit.scope.show(item) for item in value]
    return visit.scope.show(value)


def _inputs(request: HttpRequest) -> Json:
    """Return what tells one request from another: of secrets only their names."""
    secrets = {header: secret.variable for header, secret in request.secrets.items()}
    return {
        "method": request.method,
        "url": request.url,
        "headers": dict(request.headers),
        "secrets": secrets,
        "body": request.body,
    }


def _refuse_failed(op: HttpNode, answer: HttpAnswer, host: str) -> None:
    """Raise `Failure` for an answer that is not as the node takes for granted."""
    wanted = {part.part for part in op.parts}
    if answer.status >= 400 and "status" not in wanted:
        said = one_line(answer.text.strip()[:_SAID])
        raise Failure(
            f"`{host}` answers {answer.status}" + (f": {said}" if said else ""),
            help="`into: {NAME: status}` takes the status, and the run goes on",
        )
    if "json" in wanted and answer.status < 400:
        _json(answer)


def _part(part: ResultPart, answer: HttpAnswer) -> Json:
    match part.part:
        case "status":
            return answer.status
        case "headers":
            return dict(answer.headers)
        case "json":
            return _json(answer)
        case _:
            return answer.text


def _json(answer: HttpAnswer) -> Json:
    """Return the value of an answer; null where it is empty, or where what failed is not JSON.
    Raise `Failure`."""
    if not answer.text.strip():
        return None
    try:
        value: Json = read_json(answer.text)
    except EvaluationError as error:
        if answer.status >= 400:
            return None
        raise Failure(
            f"nothing can be read from the answer: {error}",
            help="take it as `text` where it is not JSON: into: {NAME: text}",
        ) from None
    return value


def _answer_of(result: Json) -> HttpAnswer:
    """Return the answer that the journal has; what a person gave of a request in doubt is its
    body."""
    if isinstance(result, dict) and isinstance(status := result.get("status"), int):
        headers, text = result.get("headers"), result.get("text")
        named = headers if isinstance(headers, dict) else {}
        return HttpAnswer(status, {str(n): str(v) for n, v in named.items()}, str(text or ""))
    return HttpAnswer(200, {}, result if isinstance(result, str) else json.dumps(result))
