"""Visitors of the page: a cookie that stands for a token, and a sign that a form is ours."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...db.database import Database
from ..records.access import Caller, Tokens, digest_of
from ..records.errors import ServiceFault

COOKIE = "flowc_visit"
LASTS = timedelta(hours=12)
"""How long somebody stays signed in, if the token does not end before."""

SCHEMA = """
create table if not exists service_sessions (
    visit text primary key, token text not null, ends text not null
)
"""


def new_visit() -> str:
    """Return the value of a cookie: 256 random bits."""
    return secrets.token_urlsafe(32)


def form_sign(visit: str) -> str:
    """Return the sign of a form that this visitor got from us: nobody else can make it."""
    return hmac.new(visit.encode(), b"form", hashlib.sha256).hexdigest()


def require_sign(visit: str, sign: str) -> None:
    """Raise `ServiceFault` for a form that does not come from a page of ours."""
    if not visit or not hmac.compare_digest(form_sign(visit).encode(), sign.encode()):
        raise ServiceFault(
            "FORBIDDEN",
            "the form does not belong to this visit",
            recovery=("load the page again and send the form once more",),
        )


@dataclass(frozen=True, slots=True)
class Sessions:
    """Visitors who have signed in, as digests. A token that is revoked or expired ends its
    sessions."""

    db: Database
    tokens: Tokens

    async def open(self, token: str, now: datetime) -> str:
        """Return a cookie's value for a token's holder. Raises `ServiceFault` for a wrong token."""
        await self.tokens.caller(token, now)
        visit = new_visit()
        await self.db.run("delete from service_sessions where ends <= ?", (now.isoformat(),))
        row = (digest_of(visit), digest_of(token), (now + LASTS).isoformat())
        await self.db.run("insert into service_sessions values (?, ?, ?)", row)
        return visit

    async def caller(self, visit: str, now: datetime) -> Caller | None:
        """Return the caller who signed in with this cookie, or None."""
        query = "select token, ends from service_sessions where visit = ?"
        rows = await self.db.rows(query, (digest_of(visit),))
        if not rows or datetime.fromisoformat(rows[0][1]) <= now:
            return None
        try:
            return await self.tokens.caller_of(rows[0][0], now)
        except ServiceFault:
            return None

    async def close(self, visit: str) -> None:
        """Sign out."""
        await self.db.run("delete from service_sessions where visit = ?", (digest_of(visit),))
