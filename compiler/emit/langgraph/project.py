"""A project for LangGraph's server as texts by file name, around the workflows' own files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ...source.records import dataclass
from .module import Served, emit_module

MODULES = "graphs"
"""The folder of the modules."""
_SAVER = '''"""flowc's checkpointer, on the store that keeps effects too: `langgraph.json` names it.

Written by `flowc compile`. Do not edit.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import flowc


def saver() -> AbstractAsyncContextManager[Any]:
    """Return what opens the checkpointer."""
    return flowc.open_saver(project=Path(__file__).absolute().parents[{depth}])
'''
MARK = "by `flowc compile`"
"""What the files say that a compilation may replace."""
_PYPROJECT = """# Written by `flowc compile`: the versions that the graphs were compiled with.
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = {name}
version = "0"
requires-python = ">=3.11"
dependencies = {dependencies}

[tool.setuptools]
packages = []
"""
_IGNORED = ".env\n.flowc/\n.langgraph_api/\n"


@dataclass(frozen=True, slots=True)
class Server:
    """The settings of LangGraph's server. Its files lie in `folder` (with `/` behind it, or "")
    below the project's; `dependencies` are Python's, `settings` end `pyproject.toml`, `http` says
    who may send requests."""

    dependencies: tuple[str, ...] = ()
    settings: str = ""
    folder: str = ""
    http: Mapping[str, object] | None = None

    @property
    def depth(self) -> int:
        """Return how many folders lie between the project's and the server's."""
        return self.folder.count("/")


def emit_project(workflows: Sequence[Served], server: Server) -> dict[str, str]:
    """Return the texts of a project that is installed: modules, `langgraph.json`, checkpointer,
    `pyproject.toml` and what no image takes along; deterministic."""
    pyproject = _PYPROJECT.format(
        name=json.dumps(workflows[0].name.lower()),
        dependencies=json.dumps(server.dependencies),
    )
    return {
        **emit_server(workflows, server),
        "pyproject.toml": f"{pyproject}\n{server.settings}" if server.settings else pyproject,
        ".dockerignore": _IGNORED,
    }


def emit_server(workflows: Sequence[Served], server: Server) -> dict[str, str]:
    """Return the texts that LangGraph's server reads, by their names below the project's folder."""
    folder = server.folder
    modules = {f"{folder}{MODULES}/{served.name}.py": served for served in workflows}
    config = {
        "dependencies": ["."],
        "graphs": {served.name: f"./{file}:graph" for file, served in modules.items()},
        "checkpointer": {"path": f"./{folder}checkpointer.py:saver"},
        "env": ".env",
        **({} if server.http is None else {"http": server.http}),
    }
    return {
        **{file: emit_module(served, server.depth + 1) for file, served in modules.items()},
        f"{folder}checkpointer.py": _SAVER.format(depth=server.depth),
        f"{folder}langgraph.json": json.dumps(config, indent=2, ensure_ascii=False) + "\n",
    }
