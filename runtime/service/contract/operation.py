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
    schema and an example. `title` and `id` are OpenAPI's where the name does not give them:
    programs that are made from the description use them. `by_name` is the request of the path with
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
    title: str = ""
    id: str = ""
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
    def route_name(self) -> str:
        below = self.in_contract and self.path_names
        name = self.name.lower().removeprefix("list_")
        return self.title or f"{name}{'_of_execution' if below else ''}"

    @property
    def operation_id(self) -> str | None:
        """Return OpenAPI's name of the operation; None leaves it to FastAPI."""
        return self.id or (self.route_name if self.in_contract and not self.title else None)

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
