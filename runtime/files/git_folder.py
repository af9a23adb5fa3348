"""A git repository without the settings that came with it.

A repository's `config` names programs that git starts while it merely looks: filters of files,
monitors of the folder, viewers, helpers of remotes. Its objects, references and index are data. So
git is shown a folder of ours, with links to the data and with a `config` that holds of the
repository's own settings only how its files are to be understood. What the user's own
configuration names stays.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from flowc.compiler.source.door import read_file

from ..errors import Failure

_SHARED = ("objects", "refs", "packed-refs", "shallow", "info", "logs")
"""What all working trees of a repository have in common."""
_MOST = 1_000_000
_KEPT = (
    "core.repositoryformatversion|core.filemode|core.symlinks|core.ignorecase|core.autocrlf|core.eol"
    "|core.precomposeunicode|core.sparsecheckout|core.sparsecheckoutcone|extensions.objectformat"
    "|extensions.refstorage"
)
"""Settings that say how the files are to be understood."""


@contextmanager
def plain_repository(start: Path, git: str, env: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield the variables with which git, called in `start`, reads the repository around it. Raise
    `Failure` where there is none, or where what stands there is another folder's."""
    top, folder, common = _repository_of(start)
    with tempfile.TemporaryDirectory(prefix="flowc-git-") as made:
        plain = Path(made)
        (plain / "HEAD").write_text(_text(folder / "HEAD"), errors="surrogateescape")
        (plain / "index").symlink_to(folder / "index")
        for name in _SHARED:
            if (common / name).exists():
                (plain / name).symlink_to(common / name)
        (plain / "config").write_text(_settings(common / "config", git, env), encoding="utf-8")
        yield {**env, "GIT_DIR": made, "GIT_WORK_TREE": str(top)}


def _repository_of(start: Path) -> tuple[Path, Path, Path]:
    """Return the working tree around a folder, the folder of its repository, and that of what it
    shares with other working trees."""
    real = Path(os.path.realpath(start))
    for top in (real, *real.parents):
        try:
            info = os.lstat(top / ".git")
        except OSError:
            continue
        if stat.S_ISDIR(info.st_mode):
            return top, top / ".git", top / ".git"
        if stat.S_ISREG(info.st_mode):
            return (top, *_link_target(top))
        raise Failure(f"{top / '.git'} is neither a folder nor a file", "refused")
    raise Failure("not a git repository (or any of the folders around it)")


def _link_target(top: Path) -> tuple[Path, Path]:
    """Return what a `.git` that is a file leads to: a repository that knows of this working tree,
    or else anybody could lay a file that shows theirs."""
    place = top / ".git"
    folder = Path(os.path.realpath(top / _text(place).removeprefix("gitdir:").strip()))
    back = folder / "gitdir"
    if back.is_file() and os.path.realpath(_text(back).strip()) == str(place):
        common = Path(os.path.realpath(folder / _text(folder / "commondir").strip()))
        if folder.parent == common / "worktrees":
            return folder, common
    outer = next((a for a in top.parents if folder.is_relative_to(a / ".git" / "modules")), None)
    if outer is not None and (folder / "HEAD").is_file():
        return folder, folder
    raise Failure(
        f"{place} leads to {folder}, which is not the repository of this folder", "refused"
    )


def _text(file: Path) -> str:
    try:
        return read_file(file, _MOST).decode("utf-8", "surrogateescape")
    except (OSError, ValueError) as error:
        raise Failure(f"{file} cannot be read: {error}", "refused") from None


def _settings(file: Path, git: str, env: Mapping[str, str]) -> str:
    """Return the settings of a repository that are kept. git reads them itself, as a file of
    settings and nothing else: no other file is included and no program started."""
    asked = ("config", "--no-includes", "--file", "-", "-z", "--get-regexp", f"^({_KEPT})$")
    done = subprocess.run(
        [git, *asked], input=_text(file).encode("utf-8", "surrogateescape"), env=dict(env),
        cwd="/", capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    lines = []
    for entry in done.stdout.decode("utf-8", "replace").split("\0"):
        key, _, value = entry.partition("\n")
        if key and re.fullmatch(r"[A-Za-z0-9]{1,40}", value):
            section, _, name = key.partition(".")
            lines.append(f"[{section}]\n\t{name} = {value}\n")
    return "".join(lines)
