"""What a project takes along besides its workflows: settings, teams, tools; and what stays."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import flowc
from flowc.compiler.catalog.builtin_tools import SOUND_TOOLS
from flowc.compiler.driver import CompileResult
from flowc.compiler.source.source import Unreadable, read_text

from ..assembly.needs import asked_models, needed_tools
from ..config.extras import EXTRAS
from ..config.options import OPTIONS, variable
from ..config.settings import FILE, Config, project_config, user_file
from ..errors import RunError
from ..files.workflow_files import walk_files
from ..store.default_store import refuse_link, store_path
from .written_secrets import require_no_secrets

_SECTION = re.compile(r"^\[\[? *tool\.flowc\b.*?(?=^\[|\Z)", re.M | re.S)
"""A table of the configuration in pyproject.toml, up to the next table."""


@dataclass(slots=True)
class Bundle:
    """The files of a project by their paths in it, which are those below the folder `base`;
    `settings` is for pyproject.toml, `dependencies` are Python's. `left` says what stays behind."""

    base: Path
    files: dict[str, Path] = field(default_factory=dict)
    settings: str = ""
    dependencies: tuple[str, ...] = ()
    left: list[str] = field(default_factory=list)

    def place_of(self, path: str | Path) -> str:
        """Return where a file of the author's lies in the project."""
        return os.path.relpath(os.path.abspath(path), self.base).replace(os.sep, "/")

    def take(self, path: Path, what: str) -> None:
        """Take a file along, or the files of a folder, or say that `what` stays."""
        path = Path(os.path.abspath(path))
        if not path.is_relative_to(self.base):
            self.left.append(f"{what} ({path}): it lies outside of {self.base}")
        elif path.is_dir():
            for file in walk_files(path, ("",)):
                self._take_file(Path(file), what)
        elif path.is_file():
            self._take_file(path, what)
        else:
            self.left.append(f"{what} ({path}): it is not there")

    def _take_file(self, file: Path, what: str) -> None:
        """Take a file along; not what a link shows that leads out of a folder of others."""
        try:
            refuse_link(file, self.base)
        except RunError:
            self.left.append(f"{what} ({file}): a link leads out of {self.base}")
        else:
            self.files[self.place_of(file)] = file


def gather(compiled: Sequence[CompileResult], start: Path) -> Bundle:
    """Return what workflows need that are compiled in the folder `start`: every file that was read,
    and what the project's configuration names. Raise `RunError` for files that have no folder in
    common which could be the project's, and for settings that hold a secret."""
    config = project_config(start)
    read = {os.path.abspath(path) for one in compiled for path in one.sources.files}
    bundle = Bundle(_base(read, config))
    for path in sorted(read):
        bundle.take(Path(path), "a file")
    if config.folder is not None:
        require_no_secrets(config, dict(_servers(config)))
        _take_settings(bundle, config)
        _take_tools(bundle, config)
    bundle.dependencies = (*_requirements(compiled, config), *bundle.dependencies)
    _tell_of_machine(bundle)
    return bundle


def _base(read: set[str], config: Config) -> Path:
    folders = {os.path.dirname(path) for path in read}
    base = Path(os.path.commonpath(folders))
    if config.folder is None:
        home = Path(os.path.expanduser("~"))
        if home != base and home.is_relative_to(base):
            raise RunError(
                f"the files have only the folder `{base}` in common", help="put them side by side"
            )
        return base
    if not base.is_relative_to(config.folder):
        outside = next(p for p in sorted(read) if not Path(p).is_relative_to(config.folder))
        raise RunError(
            f"{outside} lies outside of the folder of {config.files[0]}",
            help="compile it in another folder, or put it there",
        )
    return Path(config.folder)


def _take_settings(bundle: Bundle, config: Config) -> None:
    """Take the file of the configuration, and the files that it names."""
    file = Path(config.files[0])
    if file.name == FILE:
        bundle.take(file, "the configuration")
    else:
        sections = _SECTION.findall(read_text(str(file)))
        bundle.settings = "".join(sections).rstrip() + "\n" if sections else ""
        if not sections:
            bundle.left.append("[tool.flowc]: write it as a table of its own")
    for name, row in OPTIONS.items():
        value = getattr(config, name) if row.path else None
        for path in (value,) if isinstance(value, str) else value or ():
            if "://" in path:
                bundle.left.append(f"the runs in {store_path(path)}")
            elif Path(path).is_dir():
                bundle.left.append(f"the folder {path} (`{name}`)")
            else:
                bundle.take(Path(path), f"the file of `{name}`")


def _take_tools(bundle: Bundle, config: Config) -> None:
    """Take the modules of Python tools that lie in the project, and the files that MCP servers are
    started with; other modules become dependencies."""
    assert config.folder is not None
    folder = Path(config.folder)
    modules = {
        path.partition(":")[0].partition(".")[0]
        for path in (*config.python_tools, *config.python_nodes)
    }
    foreign = _take_modules(bundle, folder, modules)
    bundle.dependencies = tuple(_distributions(bundle, sorted(foreign)))
    for name, words in _started_with(config):
        for word in words:
            if os.path.isabs(word):
                bundle.left.append(f"what the MCP server {name} is started with: {word}")
            elif (folder / word).is_file():
                bundle.take(folder / word, f"a file of the MCP server {name}")


def _servers(config: Config) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the MCP servers as they are written: what stands for a variable need not be known
    here. What cannot be read is reported by a run."""
    servers = dict(config.mcp_servers)
    for file in config.mcp:
        with contextlib.suppress(Unreadable, ValueError, TypeError, AttributeError, KeyError):
            servers |= json.loads(read_text(file))["mcpServers"]
    yield from ((name, about) for name, about in servers.items() if isinstance(about, dict))


def _started_with(config: Config) -> Iterator[tuple[str, list[str]]]:
    """Yield the MCP servers and the words that each is started with."""
    for name, about in _servers(config):
        args = about.get("args")
        words = [about.get("command"), *(args if isinstance(args, list) else [])]
        yield name, [word for word in words if isinstance(word, str)]


def _take_modules(bundle: Bundle, folder: Path, names: set[str]) -> set[str]:
    """Take modules and what they import from the folder, which is read and not executed; return
    the names that are not there."""
    foreign: set[str] = set()
    known: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        known.add(name)
        found = next((p for p in (folder / f"{name}.py", folder / name) if p.exists()), None)
        if found is None:
            foreign |= {name} & names
            continue
        bundle.take(found, f"the module {name}")
        files = [str(found)] if found.is_file() else walk_files(found, (".py",))
        waiting += [imported for file in files for imported in _imports(Path(file))]
    return foreign


def _imports(file: Path) -> Iterator[str]:
    """Yield the first parts of the names that a module imports."""
    try:
        tree = ast.parse(read_text(str(file)))
    except (Unreadable, ValueError, SyntaxError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _distributions(bundle: Bundle, modules: Iterable[str]) -> Iterator[str]:
    """Yield the installed distributions of modules, with their versions."""
    known = metadata.packages_distributions() if modules else {}
    for module in modules:
        if not (names := known.get(module)):
            bundle.left.append(f"the module {module}: it is not in the project, nor installed")
        for name in names or ():
            yield f"{name}=={metadata.version(name)}"


def _requirements(compiled: Sequence[CompileResult], config: Config) -> Iterator[str]:
    """Yield flowc with its version and the extras that the workflows need, and the packages of
    other providers' models, as they are installed."""
    specs = [spec for one in compiled for spec in (one.spec, *dict(one.spec.subgraphs).values())]
    models = {config.model, os.environ.get(variable("model"))}
    models |= {spec.model for spec in specs} | {
        name for spec in specs for name, _ in asked_models(spec)
    }
    providers = {model.partition(":")[0] for model in models if model and ":" in model}
    tools = {name for one in compiled for name in needed_tools(one.spec, by_hand=False)}
    wanted = {
        "audio": not SOUND_TOOLS.isdisjoint(tools),
        "mcp": bool(config.mcp or config.mcp_servers),
        "openai": "openai" in providers,
        "postgres": bool(config.store and config.store.startswith("postgres")),
    }
    extras = ",".join(EXTRAS[name].name for name, use in wanted.items() if use)
    yield f"flowc[{extras}]=={flowc.__version__}" if extras else f"flowc=={flowc.__version__}"
    for provider in sorted(providers - {"openai"}):
        with contextlib.suppress(metadata.PackageNotFoundError):
            name = f"langchain-{provider.replace('_', '-')}"
            yield f"{name}=={metadata.version(name)}"


def _tell_of_machine(bundle: Bundle) -> None:
    """Say what holds on this machine alone."""
    if user_file().is_file():
        bundle.left.append(f"your own settings ({user_file()})")
    named = [variable(name) for name, row in OPTIONS.items() if row.environment]
    if set_here := [name for name in named if os.environ.get(name)]:
        bundle.left.append(f"the environment: {', '.join(set_here)}")
