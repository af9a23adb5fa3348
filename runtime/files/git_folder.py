"""A git repository without the settings that came with it, looked at in the sandbox.

A repository's `config` names programs that git starts while it merely looks: filters of files,
monitors of the folder, viewers, helpers of remotes. Its objects, references and index are data. So
git is shown a folder of ours, with links to the data and with a `config` that holds of the
repository's own settings only how its files are to be understood. What the user's own
configuration says of files and differences stays. git sees the folders of the run, as they were
opened, and the repository around them, and nothing else: a link that leads elsewhere leads nowhere.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flowc.compiler.source.door import open_below, open_file, read_file, read_whole

from ..errors import Failure
from .granted import GrantedPlace, open_granted
from .programs import ProgramEnd, ProgramJob, RunProgram, find_program

_SHARED = ("objects", "refs", "packed-refs", "shallow", "info", "logs")
"""What all working trees of a repository have in common."""
_MOST = 1_000_000
_KEPT = (
    "core.repositoryformatversion|core.filemode|core.symlinks|core.ignorecase|core.autocrlf|core.eol"
    "|core.precomposeunicode|core.sparsecheckout|core.sparsecheckoutcone|extensions.objectformat"
    "|extensions.refstorage"
)
"""Settings that say how the files are to be understood."""
_WORKTREE = re.compile(r"^\s*worktree\s*=\s*(.+?)\s*$", re.MULTILINE)
"""What the repository of a submodule says of the folder that it is for."""
_USUAL = r"^(core|diff|diffcore|filter|i18n|log|status)\."
"""Settings of the user that say how files and differences are shown: not those with keys."""
_NAMED = {"core.excludesfile": "ignore", "core.attributesfile": "attributes"}
"""Files that the user's settings name, and what they are called where nothing names them."""
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C.UTF-8",
}


@dataclass(frozen=True, slots=True)
class PlainRepository:
    """git, called in the start folder of `folders`. `plain` is what it takes for its repository,
    with the working tree at `top`; `data` and `files` are what it reads beside."""

    git: str
    run: RunProgram
    folders: tuple[GrantedPlace, ...]
    plain: Path
    top: Path
    data: tuple[GrantedPlace, ...]
    files: tuple[Path, ...]

    def ask(self, *args: str) -> ProgramEnd:
        """Return what git says. Raise as `run` does."""
        env = {
            **_QUIET,
            "PATH": os.environ.get("PATH", os.defpath),
            "GIT_CONFIG_GLOBAL": str(self.plain / "usual"),
            "GIT_DIR": str(self.plain),
            "GIT_WORK_TREE": str(self.top),
        }
        held = tuple({folder.path: folder for folder in (*self.data, *self.folders)}.values())
        reads = (self.plain, *self.files)
        return self.run(ProgramJob((self.git, *args), env, self.folders[0].path, held, reads))


@contextmanager
def plain_repository(
    folders: tuple[GrantedPlace, ...], run: RunProgram, alone: bool = False
) -> Iterator[PlainRepository]:
    """Yield the repository around the first of the folders; it has to lie in that folder where that
    is `alone`. Raise `Failure` where there is none, or where what stands there is another
    folder's."""
    git = find_program("git")
    if git is None:
        raise Failure("git is not installed")
    start = folders[0].path
    if start == Path("/"):
        raise Failure("git is not called in the folder of all files", help="grant one: --root DIR")
    top, own, common = _repository_of(folders[0], alone)
    with tempfile.TemporaryDirectory(prefix="flowc-git-") as made:
        plain = Path(os.path.realpath(made))
        usual, named = _usual_settings(git, plain)
        (plain / "HEAD").write_bytes(_data(own, "HEAD"))
        (plain / "index").symlink_to(own.path / "index")
        for name in _SHARED:
            (plain / name).symlink_to(common.path / name)
        (plain / "usual").write_text(usual, encoding="utf-8", errors="surrogateescape")
        (plain / "found").write_bytes(_data(common, "config"))
        (plain / "config").write_text("")
        between = [top, *(p for p in reversed(start.parents) if p != top and p.is_relative_to(top))]
        files = (p / name for p in between for name in (".gitignore", ".gitattributes"))
        around = [file for file in files if start != file.parent and _is_file(file)]
        known = PlainRepository(git, run, folders, plain, top, (own, common), (*named, *around))
        (plain / "config").write_text(_settings(known), encoding="utf-8")
        yield known


def _repository_of(start: GrantedPlace, alone: bool) -> tuple[Path, GrantedPlace, GrantedPlace]:
    """Return the working tree around a folder, the folder of its repository, and that of what it
    shares with other working trees."""
    for path in (start.path,) if alone else (start.path, *start.path.parents):
        try:
            top = start if path == start.path else open_granted(path)
            info = os.stat(".git", dir_fd=top.number, follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISDIR(info.st_mode):
            own = GrantedPlace(path / ".git", open_below(top.number, [".git"]))
            return path, own, own
        if stat.S_ISREG(info.st_mode):
            own, common = _link_target(top)
            if alone and not all(one.path.is_relative_to(path) for one in (own, common)):
                raise Failure(f"{path / '.git'} leads out of the folder", "refused")
            return path, own, common
        raise Failure(f"{path / '.git'} is neither a folder nor a file", "refused")
    raise Failure("not a git repository (or any of the folders around it)")


def _link_target(top: GrantedPlace) -> tuple[GrantedPlace, GrantedPlace]:
    """Return what a `.git` that is a file leads to: a repository that knows of this working tree,
    or else anybody could lay a file that shows theirs."""
    place = top.path / ".git"
    named = _data(top, ".git").decode("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
    folder = Path(os.path.realpath(top.path / named))
    back = folder / "gitdir"
    try:
        if back.is_file() and os.path.realpath(_text(back).strip()) == str(place):
            common = Path(os.path.realpath(folder / _text(folder / "commondir").strip()))
            if folder.parent == common / "worktrees":
                return open_granted(folder), open_granted(common)
        above = (parent / ".git" / "modules" for parent in top.path.parents)
        if any(map(folder.is_relative_to, above)) and (folder / "HEAD").is_file():
            own_tree = _WORKTREE.search(_text(folder / "config"))
            if own_tree and os.path.realpath(folder / own_tree[1]) == str(top.path):
                own = open_granted(folder)
                return own, own
    except (OSError, ValueError) as error:
        raise Failure(f"{place} leads to {folder}: {error}", "refused") from None
    raise Failure(
        f"{place} leads to {folder}, which is not the repository of this folder", "refused"
    )


def _data(folder: GrantedPlace, name: str) -> bytes:
    """Return the bytes of a file in a folder, no link followed. Raise `Failure`."""
    try:
        number = open_file(name, folder.number, follow=False)
        try:
            return read_whole(number, _MOST)
        finally:
            os.close(number)
    except OSError as error:
        raise Failure(f"{folder.path / name} cannot be read: {error}", "refused") from None


def _text(file: Path) -> str:
    return read_file(file, _MOST).decode("utf-8", "surrogateescape")


def _is_file(file: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(file).st_mode)
    except OSError:
        return False


def _settings(known: PlainRepository) -> str:
    """Return the settings of a repository that are kept. git reads them itself, as a file of
    settings and nothing else: no other file is included and no program started."""
    file = str(known.plain / "found")
    done = known.ask(
        "config", "--no-includes", "--file", file, "-z", "--get-regexp", f"^({_KEPT})$"
    )
    return "".join(
        _line(key, value)
        for key, value in _entries(done.output)
        if re.fullmatch(r"[A-Za-z0-9]{1,40}", value)
    )


def _usual_settings(git: str, folder: Path) -> tuple[str, tuple[Path, ...]]:
    """Return the user's own settings, those of the system among them, and the files that they
    name. They are nobody else's: git reads them outside of the sandbox, in an empty folder."""
    names = ("PATH", "HOME", "XDG_CONFIG_HOME")
    env = {name: os.environ[name] for name in names if name in os.environ}
    done = subprocess.run(
        [git, "config", "--includes", "-z", "--get-regexp", _USUAL],
        cwd=folder, env={**env, "GIT_CEILING_DIRECTORIES": str(folder.parent), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    found = _named_by_default(env)
    lines = []
    for key, value in _entries(done.stdout):
        if key in _NAMED:
            found[key] = Path(os.path.realpath(os.path.expanduser(value)))
        else:
            lines.append(_line(key, value))
    files = {key: file for key, file in found.items() if file.is_file()}
    lines += [_line(key, str(file)) for key, file in files.items()]
    return "".join(lines), tuple(files.values())


def _named_by_default(env: Mapping[str, str]) -> dict[str, Path]:
    home = Path(env.get("HOME") or "/nowhere")
    folder = Path(env.get("XDG_CONFIG_HOME") or home / ".config", "git")
    return {key: folder / name for key, name in _NAMED.items()}


def _entries(text: bytes) -> Iterator[tuple[str, str]]:
    """Yield key and value of what `git config -z` says; a key alone is true."""
    for entry in text.decode("utf-8", "surrogateescape").split("\0"):
        key, line, value = entry.partition("\n")
        if key:
            yield key, value if line else "true"


def _line(key: str, value: str) -> str:
    """Return a setting as a file of settings says it."""
    section, _, rest = key.partition(".")
    below, _, name = rest.rpartition(".")
    inner = f' "{_quote(below)}"' if below else ""
    shown = _quote(value).replace("\n", "\\n").replace("\t", "\\t")
    return f'[{section}{inner}]\n\t{name} = "{shown}"\n'


def _quote(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
