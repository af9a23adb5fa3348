"""Large results of effects: each long text of one is kept once, whichever values hold it.

A text that an effect returned and a variable took stands under one hash, in a SQLite file beside
those of checkpoints. What is left of the result stands in its row, behind a character that no JSON
begins with: the JSON with empty texts, and where which one belongs.

    @{"value": {"stdout": ""}, "texts": [[["stdout"], "9f86…"]]}

The texts are kept first, so a result that is there has them; what a kill leaves in between goes
with the run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..db import kept
from ..db.database import Database, marks
from ..db.digests import changed_value
from ..db.encryption import Seal
from ..db.fence import NotHeld
from ..errors import RunError
from ..services import Json

Key = tuple[str, str, int]
LARGE = 4_096
"""Characters of JSON from which on a result is looked at: less is not worth a transaction."""
LONG = 512
"""Bytes of a text that is kept apart, as in a checkpoint."""
_MARK = "@"
_Path = tuple[str | int, ...]


async def keep_apart(db: Database, key: Key, result: str) -> str:
    """Return what stands for a result, JSON, in the row of its effect: the result itself where it
    is small, or where its texts cannot be kept now. Raise `NotHeld`."""
    if len(result) < LARGE:
        return result
    texts: dict[_Path, bytes] = {}
    value = _take_texts(json.loads(result), (), texts)
    if not texts:
        return result
    run, place, ordinal = key
    try:
        realm, seal = await _realm(db, run)
        names = {at: kept.hash_of(text, seal) for at, text in texts.items()}
        async with db.transaction(*kept.about_contents(realm, set(names.values()))) as inside:
            for at, name in names.items():
                data = kept.close_content(texts[at], seal)
                await inside.run(kept.KEEP, (realm, name, data))
                await inside.run(kept.HOLD, (run, f"effect/{ordinal}/{place}", name, realm))
    except NotHeld:
        raise
    except RunError:  # the row's own write waits for the store
        return result
    where = [(at, name.hex()) for at, name in names.items()]
    return _MARK + json.dumps({"value": value, "texts": where})


async def full_result(db: Database, key: Key, result: str, what: str) -> str:
    """Return the result, JSON, that stands in the row of an effect, with its texts. Raise
    `RunError`, which names it as `what`, when one of them was changed or is gone."""
    if not result.startswith(_MARK):
        return result
    rest = json.loads(result[len(_MARK) :])
    realm, seal = await _realm(db, key[0])
    names = {bytes.fromhex(name) for _, name in rest["texts"]}
    query = f"select hash, data from blobs where realm = ? and hash in ({marks(names)})"
    found = {bytes(name): data for name, data in await db.rows(query, (realm, *names))}
    texts: dict[_Path, str] = {}
    for at, hexadecimal in rest["texts"]:
        name = bytes.fromhex(hexadecimal)
        content = kept.open_content(bytes(found[name]), name, seal) if name in found else None
        if content is None:
            raise changed_value(what)
        texts[tuple(at)] = content.decode("utf-8", "surrogatepass")
    return json.dumps(_put_texts(rest["value"], (), texts))


def _take_texts(value: Json, at: _Path, texts: dict[_Path, bytes]) -> Json:
    """Return a value of JSON with empty texts in place of long ones, which are added to `texts`."""
    match value:
        case str() if len(data := value.encode("utf-8", "surrogatepass")) >= LONG:
            texts[at] = data
            return ""
        case dict():
            return {key: _take_texts(item, (*at, key), texts) for key, item in value.items()}
        case list():
            return [_take_texts(item, (*at, n), texts) for n, item in enumerate(value)]
    return value


def _put_texts(value: Json, at: _Path, texts: Mapping[_Path, str]) -> Json:
    """Return a value with the texts in their places again."""
    match value:
        case "":
            return texts.get(at, "")
        case dict():
            return {key: _put_texts(item, (*at, key), texts) for key, item in value.items()}
        case list():
            return [_put_texts(item, (*at, n), texts) for n, item in enumerate(value)]
    return value


async def _realm(db: Database, run: str) -> tuple[str, Seal | None]:
    """Return the realm within which a run shares contents, and the seal that has its key."""
    rows = await db.rows(kept.REALM, (run,))
    realm = rows[0][0] if rows else ""
    return realm, db.cipher and db.cipher.for_realm(realm)
