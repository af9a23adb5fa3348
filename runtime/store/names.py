"""Names for runs that a person can say and remember: `brave-otter-7f3k`."""

from __future__ import annotations

import secrets

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


def new_run_name() -> str:
    """Return a quality, an animal and four signs: one of three thousand million names."""
    tail = "".join(secrets.choice(_SIGNS) for _ in range(4))
    return f"{secrets.choice(_QUALITIES)}-{secrets.choice(_ANIMALS)}-{tail}"
