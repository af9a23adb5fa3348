"""What a folder and its workflows want: code of theirs that runs here, hosts, grants, variables."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import RunError

_SHA = ", sha256 "
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class Wants:
    """What one folder wants. `settings` are values of its configuration by key, as they are
    written; `files` are SHA-256 (hex) of what these run, by path in the folder; `documents` are
    those of its workflows that want something, each with the `digest` of its program."""

    folder: str
    settings: Mapping[str, object] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, folder: str, data: object) -> Wants:
        """Read what `to_json` returned. Raise `ValueError` for something else."""
        parts = data if isinstance(data, dict) else {}
        settings, files, documents = (parts.get(k) for k in ("settings", "files", "documents"))
        if isinstance(settings, dict) and isinstance(files, dict) and isinstance(documents, dict):
            return cls(folder, settings, files, documents)
        raise ValueError("not what a folder wants")

    def to_json(self) -> dict[str, Any]:
        """Return it without the folder, so that it holds wherever the folder lies."""
        parts = {"settings": self.settings, "files": self.files, "documents": self.documents}
        plain: dict[str, Any] = json.loads(json.dumps(parts, default=str, sort_keys=True))
        return plain

    def is_within(self, accepted: Wants) -> bool:
        """Tell whether nothing is wanted here but what was accepted, to the letter."""
        own, other = self.to_json(), accepted.to_json()
        if own["settings"] and any(own[part] != other[part] for part in ("settings", "files")):
            return False
        accepted_of = other["documents"]
        return all(_is_part(d, accepted_of.get(name)) for name, d in own["documents"].items())

    def over(self, older: Wants) -> Wants:
        """Return both together; of the same part this one counts."""
        base = self if self.settings else replace(older, folder=self.folder)
        return replace(base, documents={**older.documents, **self.documents})

    def lines(self) -> list[str]:
        """Return what is wanted, a line each, for people."""
        lines = [line for key, value in self.settings.items() for line in _sentences(key, value)]
        lines += [f"reads {name} for it, sha256 {sha}" for name, sha in self.files.items()]
        return lines + [
            f"{name}: {what}, program {about['digest']}"
            for name, about in self.documents.items()
            for what in _grants_of(about)
        ]


def gather(several: Iterable[Wants]) -> list[Wants]:
    """Return what is wanted, once for each folder that wants something."""
    by_folder: dict[str, Wants] = {}
    for wants in several:
        if wants.settings or wants.documents:
            real = os.path.realpath(wants.folder)
            older = by_folder.get(real)
            by_folder[real] = wants if older is None else wants.over(older)
    return list(by_folder.values())


def digest_of(several: Iterable[Wants]) -> str:
    """Return the SHA-256 (hex) of what folders want, wherever they lie."""
    parts = sorted(json.dumps(wants.to_json(), sort_keys=True) for wants in gather(several))
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def reads_of(outside: Iterable[tuple[str, str]], folder: Path, home: Path) -> list[str]:
    """Return files outside of a workflow's folder, with their SHA-256, as its wants name them: from
    the folder `home`, so that it holds wherever that lies."""
    real, top = os.path.realpath(folder), os.path.realpath(home)
    named = ((os.path.relpath(os.path.join(real, file), top), sha) for file, sha in outside)
    return sorted(f"{file}{_SHA}{sha}" for file, sha in named)


def files_of(accepted: Wants, name: str) -> dict[str, str]:
    """Return the files that the workflow `name` may read, as `reads_of` took them."""
    real = os.path.realpath(accepted.folder)
    reads = _list(_table(accepted.documents.get(name)).get("reads"))
    parts = [str(read).rpartition(_SHA) for read in reads]
    return {os.path.normpath(os.path.join(real, file)): sha for file, _, sha in parts}


def difference(old: Wants | None, new: Wants) -> tuple[str, ...]:
    """Return what is wanted now (+), and what was accepted and is not wanted any more (-)."""
    before = old.lines() if old is not None else []
    now = new.lines()
    gone = [line for line in before if line not in now] if new.settings else []
    more = [line for line in now if line not in before]
    return (*(f"- {line}" for line in gone), *(f"+ {line}" for line in more))


class NotTrusted(RunError):
    """What a run needs and nobody granted. `wants` are the folders' that it concerns; `lasting`:
    they may be granted it for always."""

    lasting = True

    def __init__(
        self,
        wants: Sequence[Wants],
        diff: Sequence[str],
        commands: Sequence[str],
        message: str = "",
        help: str = "",
    ) -> None:
        folders = " and ".join(f"`{one.folder}`" for one in wants)
        super().__init__(
            message or f"what {folders} wants is not trusted",
            help=f"{help or ', '.join(commands) + ': shows it and asks'}; --trust grants it by its "
            f"digest, {digest_of(wants)}",
            diff=tuple(diff),
            exit_code=8,
        )
        self.wants = tuple(wants)

    def as_json(self) -> dict[str, object]:
        """Return it as the end of a run, for programs."""
        return {
            "run": None,
            "status": "refused",
            "error": {"kind": "trust", "message": self.message, "help": self.help},
            "wants": [line for one in self.wants for line in one.lines()],
            "digest": digest_of(self.wants),
        }


class StrangeRun(NotTrusted):
    """A run that the user did not start, by all that is known, which is to go on with what it was
    given."""

    lasting = False

    def __init__(self, run: str, wants: Wants) -> None:
        super().__init__(
            [wants],
            difference(None, wants),
            (),
            f"run {run} was not started by you here: what it goes on with is not trusted",
            "say the flags again that it may have (--allow-exec, --mcp FILE, …)",
        )


def command_for(wants: Wants) -> str:
    """Return the command that shows what is wanted, and grants it."""
    whole = wants.settings or len(wants.documents) != 1
    path = wants.folder if whole else os.path.join(wants.folder, *wants.documents)
    return f"flowc trust {os.path.relpath(path)}"


def _sentences(key: str, value: object) -> Iterator[str]:
    match key:
        case "tools.python" | "nodes.python":
            yield from (f"imports {path} into flowc's own process" for path in _list(value))
        case "mcp_servers":
            for name, about in _table(value).items():
                yield from _server(name, _table(about))
        case "mcp":
            yield from (f"starts the MCP servers of {path}" for path in _list(value))
        case "base_url":
            yield f"sends prompts and your key to {value}"
        case "network":
            yield "lets commands use the network"
        case "allow_net":
            yield f"lets nodes send requests to {', '.join(_list(value))}"
        case "workspace":
            yield f"lets commands write in {value}"
        case "roots":
            yield from (f"lets files be read and written in {path}" for path in _list(value))
        case "dev":
            yield "lets LangGraph's server import modules that lie there, and read its .env"
        case "run":
            yield f"goes on with {value}, which somebody else may have started"
        case "folder":
            yield f"goes on in {value}, with what is granted there"
        case "allow_exec":
            yield "runs commands without asking, also those that somebody else approved"
        case "sandbox":
            yield "gives commands all your rights"
        case "record":
            yield f"writes a recording to {value}"
        case "env":
            yield f"shows workflows and commands the variables {', '.join(_list(value))}"
        case _:
            yield f"sets {key} = {value}"


def _server(name: str, about: Mapping[str, Any]) -> Iterator[str]:
    words = [about.get("command"), *_list(about.get("args"))]
    how = f"connects to {about['url']}" if about.get("url") else "starts " + _words(words)
    yield f"{how} (MCP server {name})"
    for variable in dict.fromkeys(_VARIABLE.findall(json.dumps(about, default=str))):
        yield f"gives the MCP server {name} the variable {variable}"


def _grants_of(about: Mapping[str, Any]) -> Iterator[str]:
    if about.get("network"):
        yield "its commands may use the network"
    for host in about.get("hosts", ()):
        yield f"it sends requests to {host}"
    yield from about.get("secrets", ())
    for folder in about.get("workspaces", ()):
        yield f"its commands may write in {folder}"
    if variables := about.get("variables"):
        yield f"it reads the variables {', '.join(variables)}"
    for file in about.get("reads", ()):
        yield f"it reads {file}"


def _is_part(about: Mapping[str, Any], accepted: Mapping[str, Any] | None) -> bool:
    """Tell whether a workflow is the one that was accepted, and wants no more than then."""
    if not accepted or about["digest"] != accepted.get("digest"):
        return False
    return all(set(_list(value)) <= set(_list(accepted.get(key))) for key, value in about.items())


def _words(words: Iterable[object]) -> str:
    return " ".join(str(word) for word in words if word)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
