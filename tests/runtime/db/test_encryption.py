"""Texts of a store with a key: whatever character of one is changed, it is refused."""

from __future__ import annotations

import string

import pytest
from flowc.runtime.db.encryption import Seal, seal_from
from flowc.runtime.errors import RunError

OTHERS = string.ascii_letters + string.digits + "+/=-_ \nü"


def seal() -> Seal:
    made = seal_from({"FLOWC_STORE_KEY": "00" * 32})
    assert made is not None
    return made


@pytest.mark.parametrize("text", ["", "a", "ab", "abc"])
def test_no_other_character_is_read_as_the_one_that_was_kept(text: str) -> None:
    """Base64 leaves bits of its last character unused where the bytes do not come in threes."""
    kept = seal().close_text(text)
    assert seal().open_text(kept, "it") == text
    for place, old in enumerate(kept):
        for other in OTHERS:
            changed = f"{kept[:place]}{other}{kept[place + 1 :]}"
            if other != old:
                with pytest.raises(RunError, match=r"^it was not encrypted with the key"):
                    seal().open_text(changed, "it")


@pytest.mark.parametrize("more", ["=", "A", "\n", "AAAA"])
def test_nothing_can_be_put_behind_a_text(more: str) -> None:
    with pytest.raises(RunError):
        seal().open_text(seal().close_text("abc") + more)
