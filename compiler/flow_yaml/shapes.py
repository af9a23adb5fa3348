"""The rows of the table of keys: a key names a field of the IR and the form of its value."""

from __future__ import annotations

import functools
from typing import Any, Literal

from ..source.records import dataclass

Form = Literal[
    "text",  # characters as they are
    "template",  # text with {{ expressions }}, or {value: EXPRESSION}
    "command",  # a template whose values are quoted for the shell, or {value: EXPRESSION}
    "expression",  # what decides and computes; {text: TEMPLATE} for a text; lists and mappings too
    "flag",
    "integer",
    "number",
    "word",  # one of `words`
    "words",  # several of `words`
    "names",  # a list of names, or one
    "model",  # text that names one model
    "models",  # names of models, written as one where it is one
    "json",  # any YAML that JSON can say
    "schema",  # a JSON Schema
    "settings",  # variables with the expressions they are set to
    "model_settings",  # a mapping: temperature and so on
    "pause",  # a time such as 5m, or a mapping: seconds, until, or event with timeout
    "address",  # a URL as a template whose values are quoted for it, or {value: EXPRESSION}
    "hosts",  # hosts that a request may go to
    "headers",  # headers with templates, or {secret: VARIABLE}
    "parts",  # a variable for the first of `words`, or variables with the parts they get
    "values",  # a list of expressions
    "inputs",  # variables with descriptions
    "outputs",  # variables with where their value stands
    "criteria",  # texts for a model, or {check: EXPRESSION}
    "limits",  # bounds by name
    "retry",  # a number of attempts, or a mapping
]


@dataclass(frozen=True, slots=True)
class Key:
    """A key: the field of the IR that it fills (the same name unless `field` is given), the form of
    its value, and one sentence for people."""

    name: str
    form: Form
    help: str
    field: str = ""
    required: bool = False
    words: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    """Bounds of a number; of names, `least` is how many there are at the fewest, each once."""
    default: str | None = None
    """The value when the key is left out, where the IR has none."""

    @property
    def attribute(self) -> str:
        return self.field or self.name


@dataclass(frozen=True)
class MapShape:
    """A kind of mapping in the file: the class of the IR it becomes, its keys, and the key that may
    stand for the whole mapping when it is the only one."""

    type: type[Any]
    keys: tuple[Key, ...]
    short: str = ""

    @functools.cached_property
    def by_name(self) -> dict[str, Key]:
        """The keys by their names."""
        return {key.name: key for key in self.keys}

    @functools.cached_property
    def duties(self) -> tuple[Key, ...]:
        """The keys that have to be there."""
        return tuple(key for key in self.keys if key.required)

    @functools.cached_property
    def defaults(self) -> dict[str, str]:
        """The values of fields whose keys are left out, where the IR has none."""
        return {key.attribute: key.default for key in self.keys if key.default is not None}
