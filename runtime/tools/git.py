"""Read-only git below the start folder, in the sandbox: argument lists, no pager, no hooks, no
external diff, and none of the programs that the repository's own settings name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..errors import Failure
from ..files.git_folder import PlainRepository, plain_repository
from ..files.programs import RunProgram
from ..files.roots import Roots
from ..services import Json

_MAX_DIFF = 200_000
_OUTSIDE = "--ignore-submodules=dirty"
"""Of a submodule its commit alone: to look for changes git would follow its settings."""
_FIELDS = "%H%x1f%an <%ae>%x1f%aI%x1f%s"
_QUIET = (
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.pager=cat",
    "-c", "core.quotePath=false",
    "-c", "log.showSignature=false",
    "-c", "protocol.allow=never",
)  # fmt: skip
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", _OUTSIDE)


@dataclass(frozen=True, slots=True)
class GitPlace:
    """The folders in which git is called, and what calls it."""

    roots: Roots
    run: RunProgram

    def locate(self, path: str) -> str:
        """Return the target of a path. Raise `Failure` (refused) outside of the folders."""
        return str(self.roots.locate(path))

    @contextmanager
    def repository(self) -> Iterator[PlainRepository]:
        """Yield the repository around the start folder. Raise `Failure`."""
        self.roots.locate(".")  # a run without files has none here either
        with plain_repository(self.roots.folders(), self.run, self.roots.alone) as found:
            yield found


def git_status(place: GitPlace) -> Json:
    """Return branch, head, and what differs from it."""
    with place.repository() as git:
        top = _whole_answer(
            git, "status", "--porcelain=v2", "--branch", "-z", "-uall", _OUTSIDE, "--", "."
        )
    branch: dict[str, str] = {}
    changed: list[dict[str, Json]] = []
    entries = iter(top.split("\0"))
    for entry in entries:
        kind, _, rest = entry.partition(" ")
        if kind == "#":
            key, _, value = rest.partition(" ")
            branch[key] = value
        elif kind in ("1", "2", "u"):
            fields = rest.split(" ", {"1": 7, "2": 8, "u": 9}[kind])
            changed.append({"path": fields[-1], "status": fields[0].strip(".")})
            if kind == "2":
                next(entries, None)
        elif kind == "?":
            changed.append({"path": rest, "status": "?"})
    name, head = branch.get("branch.head", ""), branch.get("branch.oid", "")
    return {
        "branch": None if name == "(detached)" else name,
        "head": None if head == "(initial)" else head,
        "clean": not changed,
        "changed": changed,
    }


def git_log(place: GitPlace, count: int, ref: str, path: str) -> Json:
    """Return the last commits that touch a path."""
    below, revision = place.locate(path), _revision(ref)
    with place.repository() as git:
        text = _whole_answer(
            git, "log", f"--max-count={count}", "-z", f"--format={_FIELDS}", *revision, "--", below
        )
    commits = [_commit(entry) for entry in text.split("\0") if entry]
    return {"commits": commits, "count": len(commits)}


def git_diff(place: GitPlace, ref: str, path: str) -> Json:
    """Return the working tree against a commit."""
    about = (*_revision(ref), "--", place.locate(path))
    with place.repository() as git:
        diff = _beginning(git, "diff", *_PLAIN, *about)
        files = _numbers(_whole_answer(git, "diff", *_PLAIN, "--numstat", "-z", *about))
    return {"files": files, "count": len(files), **diff}


def git_show(place: GitPlace, ref: str) -> Json:
    """Return one commit: who, when, why, what."""
    revision = _revision(ref, "^{commit}")
    about = (*_PLAIN, *revision, "--", ".")
    with place.repository() as git:
        head = _whole_answer(
            git, "show", "--no-patch", f"--format={_FIELDS}%x1f%b", *revision, "--"
        )
        diff = _beginning(git, "show", "--format=", *about)
        files = _numbers(_whole_answer(git, "show", "--format=", "--numstat", "-z", *about))
    *fields, body = head.rstrip("\n").split("\x1f", 4)
    return {**_commit("\x1f".join(fields)), "body": body.strip(), "files": files, **diff}


def _revision(ref: str, suffix: str = "") -> tuple[str, str]:
    """Return a revision that git cannot take for an option."""
    if "\0" in ref or not ref:
        raise Failure("a revision is empty or holds a NUL character", "refused")
    return "--end-of-options", ref + suffix


def _commit(entry: str) -> dict[str, Json]:
    keys = ("hash", "author", "date", "subject")
    return dict(zip(keys, entry.strip("\n").split("\x1f"), strict=True))


def _numbers(text: str) -> list[Json]:
    """Read `--numstat -z`: lines added and removed per file; null for a binary file."""
    files: list[Json] = []
    entries = iter(text.lstrip("\n").split("\0"))
    for entry in entries:
        if not entry.strip():
            continue
        added, removed, path = entry.lstrip("\n").split("\t", 2)
        if not path:
            # A renamed file: the old and the new path follow.
            next(entries, None)
            path = next(entries, "")
        files.append({"path": path, "added": _count(added), "removed": _count(removed)})
    return files


def _count(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _beginning(git: PlainRepository, *args: str) -> dict[str, Json]:
    """Return the beginning of a diff, and whether there is more."""
    text, cut = _ask(git, *args)
    text = text.lstrip("\n")
    return {"diff": text[:_MAX_DIFF], "truncated": cut or len(text) > _MAX_DIFF}


def _whole_answer(git: PlainRepository, *args: str) -> str:
    """Return all that git says. Raise `Failure` with git's own words."""
    text, cut = _ask(git, *args)
    if cut:
        raise Failure(f"git {args[0]} says more than fits", help="name a path below")
    return text


def _ask(git: PlainRepository, *args: str) -> tuple[str, bool]:
    try:
        done = git.ask(*_QUIET, *args)
    except TimeoutError:
        raise Failure(f"git {args[0]} took too long", "timeout") from None
    if done.code != 0 and not done.cut:
        reason = done.complaint.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise Failure(f"git {args[0]}: {reason or f'exit code {done.code}'}")
    return done.output.decode("utf-8", "replace"), done.cut
