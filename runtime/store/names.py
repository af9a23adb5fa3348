"""Names for runs: those that a person can say and remember, `brave-otter-7f3k`, and those that
cannot be one."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from flowc.compiler.source.snippet import visible

from ..errors import RunError

HAS_RUN = "select 1 from runs where id = ?"
"""Finds a row where a name is taken."""
_QUALITIES = (
    "able", "amber", "apt", "bold", "brave", "brisk", "bronze", "calm", "cheery", "civil", "clear",
    "clever", "cosy", "crisp", "deft", "eager", "early", "fair", "fleet", "fond", "frank", "fresh",
    "gentle", "glad", "golden", "grand", "handy", "hardy", "honest", "jolly", "keen", "kind",
    "lively", "loyal", "lucid", "lucky", "mellow", "merry", "mild", "modest", "neat", "noble",
    "patient", "plain", "polite", "prompt", "proud", "quick", "quiet", "ready", "rosy", "sharp",
    "silver", "steady", "sunny", "spry", "tidy", "trim", "vivid", "warm", "wise", "witty",
)  # fmt: skip
_ANIMALS = (
    "badger", "beaver", "bison", "bittern", "curlew", "dipper", "dolphin", "dormouse", "eider",
    "falcon", "ferret", "finch", "gannet", "gecko", "grebe", "hare", "hedgehog", "heron", "ibex",
    "jackdaw", "kestrel", "lark", "linnet", "lynx", "magpie", "marmot", "marten", "merlin", "mole",
    "newt", "nuthatch", "oriole", "osprey", "otter", "owl", "petrel", "pipit", "plover", "puffin",
    "quail", "raven", "robin", "salmon", "seal", "shrew", "siskin", "sparrow", "starling", "stoat",
    "stork", "swallow", "swift", "tern", "thrush", "toad", "trout", "vole", "walrus", "weasel",
    "wren",
)  # fmt: skip
_SIGNS = "23456789abcdefghjkmnpqrstvwxyz"
"""Without 0, 1, i, l, o and u: nothing that is misread or misheard."""

LONGEST_ID = 200
"""Characters of a run's id."""

_TYPED = "abcdefghijklmnopqrstuvwxyz0123456789-_."
"""What names are mostly made of."""
_LONG = 40
"""Characters."""


def new_run_name() -> str:
    """Return a quality, an animal and four signs: one of three thousand million names."""
    tail = "".join(secrets.choice(_SIGNS) for _ in range(4))
    return f"{secrets.choice(_QUALITIES)}-{secrets.choice(_ANIMALS)}-{tail}"


def slips_of(name: str) -> Iterator[str]:
    """Yield every name that one slip makes of this one: a sign too many, missing, wrong, or two in
    the wrong order. Of a long name none: they would be too many."""
    if len(name) > _LONG:
        return
    for at in range(len(name) + 1):
        before, behind = name[:at], name[at:]
        yield from (f"{before}{sign}{behind}" for sign in _TYPED)
        if behind:
            yield before + behind[1:]
            yield from (f"{before}{sign}{behind[1:]}" for sign in _TYPED)
        if len(behind) > 1:
            yield before + behind[1] + behind[0] + behind[2:]


def is_fit(run: str) -> bool:
    """Return whether people can type an id, and a table can show it."""
    fits = run.strip() and run.isprintable() and not run.startswith("-")
    return bool(fits) and len(run) <= LONGEST_ID


def refuse_unfit(run: str) -> None:
    """Raise `RunError` for an id that people cannot type or that a table cannot show."""
    if not is_fit(run):
        raise RunError(
            f"`{visible(run[:40])}` cannot be the id of a run",
            help=f"1 to {LONGEST_ID} printable characters that do not begin with `-`",
        )
