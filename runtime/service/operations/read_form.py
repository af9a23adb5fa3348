"""The form of a page as texts and uploaded files, read by a process of its own where it is long."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from ..records.access import digest_of
from ..records.errors import ServiceFault

MAX_FIELDS = 1000
"""Fields of a form."""
ABOUT_THE_PAGE = ("sign", "once", "after")
"""Fields that differ between two showings of one form."""
SIMPLE = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form, the last of a name, its uploads as (file name, bytes), and the SHA-256
    of what it asks for. Of a form that cannot be read only the fault is there, in the form of its
    answer."""

    fields: Mapping[str, str] = field(default_factory=dict)
    uploads: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    digest: str = ""
    fault: Mapping[str, Any] | None = None

    def text(self, name: str) -> str:
        """Return the text in a field; "" where there is none."""
        return self.fields.get(name, "").strip()


def read_form(kind: str, body: bytes) -> Form:
    """Return the form that a body holds; `kind` is what its sender calls it, with the boundary
    between its parts where it has some."""
    try:
        form = Form(_simple(body)) if kind.startswith(SIMPLE) else _in_parts(kind, body)
        return replace(form, digest=_digest(form))
    except ServiceFault as fault:
        return Form(fault=fault.as_answer())


def _digest(form: Form) -> str:
    asked = {name: text for name, text in form.fields.items() if name not in ABOUT_THE_PAGE}
    files = {name: (file, data.decode("latin-1")) for name, (file, data) in form.uploads.items()}
    return digest_of(json.dumps([asked, files], sort_keys=True))


def _simple(body: bytes) -> dict[str, str]:
    try:
        text = body.decode("latin-1")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError:
        fault = f"a form has at most {MAX_FIELDS:,} fields"
        raise ServiceFault("INVALID_REQUEST", fault) from None


def _in_parts(kind: str, body: bytes) -> Form:
    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    async def parse() -> Form:
        parser = MultiPartParser(
            Headers({"content-type": kind}),
            stream(),
            max_fields=MAX_FIELDS,
            max_part_size=len(body),
        )
        form = await parser.parse()
        fields, uploads = {}, {}
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                uploads[name] = (value.filename or "", await value.read())
            else:
                fields[name] = value
        await form.close()
        return Form(fields, uploads)

    try:
        return asyncio.run(parse())
    except MultiPartException as error:
        raise ServiceFault("INVALID_REQUEST", f"the form: {error.message.lower()}") from None
