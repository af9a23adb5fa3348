"""EXTRAS: the optional parts of the installation, and the error where one is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec

from flowc.compiler.catalog.builtin_tools import SOUND_TOOLS
from flowc.compiler.ir import Program

from ..errors import RunError


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional part of the installation. `modules` are what its packages are imported as, `use`
    is what they are for."""

    name: str
    modules: tuple[str, ...]
    use: str

    @property
    def is_installed(self) -> bool:
        """Tell whether all of it is there. Nothing is imported, except the package around a module
        with a dot."""
        return all(map(_is_found, self.modules))


_ALL = (
    Extra("audio", ("numpy", "soundfile", "pedalboard"), "sound: measured, made and changed"),
    Extra("openai", ("langchain_openai",), "models of OpenAI and of its protocol"),
    Extra("mcp", ("fastmcp", "mcp"), "tools of MCP servers, and flowc mcp"),
    Extra("service", ("fastapi", "uvicorn", "httpx", "jinja2"), "flowc serve and its client"),
    Extra("postgres", ("psycopg", "langgraph.checkpoint.postgres", "procrastinate"),
          "stores in PostgreSQL (--store postgresql://…)"),
    Extra("encryption", ("cryptography",), "stores that are encrypted"),
    Extra("lsp", ("pygls",), "flowc lsp, for editors"),
    Extra("otel", ("opentelemetry.sdk", "opentelemetry.exporter"), "spans for OpenTelemetry"),
    Extra("plot", ("matplotlib",), "pictures of sound in reports"),
    Extra("draw", ("pygraphviz",), "svg, png and pdf pictures without the program dot"),
    Extra("studio", ("langgraph_cli", "langgraph_api"), "flowc dev, langgraph dev"),
)  # fmt: skip
EXTRAS = {extra.name: extra for extra in _ALL}
"""By name; pyproject.toml lists the packages of each."""


def how_to_install(name: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install 'flowc[{EXTRAS[name].name}]'"


def missing(name: str, what: str) -> RunError:
    """Return the error for `what` needs an extra that is not installed."""
    return RunError(f"{what} needs the extra `{name}`", help=how_to_install(name))


def require(name: str, what: str) -> None:
    """Raise `RunError` unless an extra is installed; `what` needs it."""
    if not EXTRAS[name].is_installed:
        raise missing(name, what)


def require_for(tools: Iterable[str]) -> None:
    """Raise `RunError` when one of a run's tools needs an extra that is not installed."""
    if sound := SOUND_TOOLS.intersection(tools):
        require("audio", f"the tool `{min(sound)}`")


def absent_for(program: Program) -> tuple[str, ...]:
    """Return the extras that a run of a program will ask for and that are not installed."""
    workflows = [workflow for _, workflow in program.workflows]
    sound = any(tool.id in SOUND_TOOLS for workflow in workflows for tool in workflow.tools)
    return ("audio",) if sound and not EXTRAS["audio"].is_installed else ()


def _is_found(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it
        return False
