"""An operation of the service as a value, and what every response of one has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, create_model

from ..records.access import Scope
from .requests import Id

EXECUTION = "ex-5f0c3a9d2b7e4816"
"""The execution of the examples."""


TAGS: Mapping[str, str] = {
    "workflows": "Definitions in any dialect.",
    "teams": "Models and people, with their roles.",
    "executions": "Workflows that a team carries out.",
    "messages": "What agents of a team write to each other.",
    "webhooks": "Addresses that are told of events, and requests that begin executions.",
    "service": "The service itself: health, workers, the audit log.",
    "by name": "The same operations under the contract's names, with the whole body.",
}
"""What operations are about."""
TAG_OF: Mapping[str, str] = {
    "assignments": "executions",
    "hooks": "webhooks",
    "audit": "service",
    "workers": "service",
    "health": "service",
    "ready": "service",
}
"""The tag of paths that are not named after it."""


class OperationResponse(BaseModel):
    """Every answer says whether it is one."""

    success: Literal[True] = True
    error: None = None


@dataclass(frozen=True, slots=True)
class OperationLink:
    """What a client does next, as OpenAPI links it: the operation `target`, whose body takes `body`
    from the response."""

    name: str
    target: str
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. Names in capitals are the contract's. `function` is one of
    `service.operations`, called with the executions, the caller, the parts of the path and the
    request; "" when the response is a stream.

    `note` is for docs/api.md. `documents` are the texts that a `TextRequest` takes, each with its
    schema and an example. `by_name` is the request of the path with
    the operation's name where that takes something else. A `scope` of None lets everyone in.
    """

    name: str
    route: str
    request: type[BaseModel]
    response: type[BaseModel] | None
    function: str
    note: str = ""
    scope: Scope | None = "operate"
    example: Mapping[str, Any] = field(default_factory=dict)
    documents: Mapping[str, tuple[type[BaseModel], Mapping[str, Any]]] = field(default_factory=dict)
    links: tuple[OperationLink, ...] = ()
    by_name: type[BaseModel] | None = None

    @property
    def method(self) -> str:
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.route.partition(" ")[2]

    @property
    def path_names(self) -> list[str]:
        """The parameters in the path."""
        return re.findall(r"{(\w+)", self.path)

    @property
    def in_contract(self) -> bool:
        return self.name.isupper()

    @property
    def operation_id(self) -> str:
        """OpenAPI's name of the operation, which programs that are made from the description use:
        that of the client's method."""
        return self.name.lower()

    @property
    def tag(self) -> str:
        """What the operation is about, as OpenAPI groups them."""
        words = self.path.split("/")
        return "messages" if "messages" in words else TAG_OF.get(words[2], words[2])

    def whole_request(self) -> type[BaseModel]:
        """Return the request with the path's parameters as fields: the body of
        `POST /v1/operations/NAME`."""
        if self.by_name or not self.path_names:
            return self.by_name or self.request
        fields: dict[str, Any] = dict.fromkeys(self.path_names, (Id, ...))
        about = f"{self.name}, with the execution it is about."
        return create_model(
            "".join(word.title() for word in self.name.split("_")),
            __base__=self.request,
            __doc__=about if self.method == "POST" else self.request.__doc__,
            **fields,
        )

    def whole_example(self) -> dict[str, Any]:
        """Return the example of the same request."""
        return {**dict.fromkeys(self.path_names, EXECUTION), **self.example}
