"""Read-only git below the start folder: argument lists, no pager, no hooks, no external diff, and
none of the programs that the repository's own settings name."""

from __future__ import annotations

import os
import subprocess

from ..errors import Failure
from ..files.git_folder import plain_repository
from ..files.programs import find_program
from ..files.roots import Roots
from ..services import Json

_SECONDS = 60.0
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


def git_status(roots: Roots) -> Json:
    """Return branch, head, and what differs from it."""
    top = _git(roots, "status", "--porcelain=v2", "--branch", "-z", "-uall", _OUTSIDE, "--", ".")
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


def git_log(roots: Roots, count: int, ref: str, path: str) -> Json:
    """Return the last commits that touch a path."""
    place = str(roots.locate(path))
    text = _git(
        roots, "log", f"--max-count={count}", "-z", f"--format={_FIELDS}",
        *_revision(ref), "--", place,
    )  # fmt: skip
    commits = [_commit(entry) for entry in text.split("\0") if entry]
    return {"commits": commits, "count": len(commits)}


def git_diff(roots: Roots, ref: str, path: str) -> Json:
    """Return the working tree against a commit."""
    place = str(roots.locate(path))
    revision = _revision(ref)
    diff = _git(roots, "diff", *_PLAIN, *revision, "--", place)
    files = _numbers(_git(roots, "diff", *_PLAIN, "--numstat", "-z", *revision, "--", place))
    return {"files": files, "count": len(files), **_cut(diff)}


def git_show(roots: Roots, ref: str) -> Json:
    """Return one commit: who, when, why, what."""
    revision = _revision(ref, "^{commit}")
    head = _git(roots, "show", "--no-patch", f"--format={_FIELDS}%x1f%b", *revision, "--")
    *fields, body = head.rstrip("\n").split("\x1f", 4)
    diff = _git(roots, "show", "--format=", *_PLAIN, *revision, "--", ".")
    files = _git(roots, "show", "--format=", *_PLAIN, "--numstat", "-z", *revision, "--", ".")
    return {
        **_commit("\x1f".join(fields)),
        "body": body.strip(),
        "files": _numbers(files),
        **_cut(diff.lstrip("\n")),
    }


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


def _cut(diff: str) -> dict[str, Json]:
    return {"diff": diff[:_MAX_DIFF], "truncated": len(diff) > _MAX_DIFF}


def _git(roots: Roots, *args: str) -> str:
    """Run git in the start folder. Raise `Failure` with git's own words."""
    env = {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ
    }
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "LC_ALL": "C.UTF-8"}
    program, start = find_program("git", env.get("PATH")), roots.locate(".")
    if program is None:
        raise Failure("git is not installed")
    try:
        with plain_repository(start, program, {**env, **quiet}) as known:
            done = subprocess.run(
                [program, *_QUIET, *args],
                cwd=start,
                env=known,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
    except subprocess.TimeoutExpired:
        raise Failure(f"git {args[0]} took more than {_SECONDS:g} s", "timeout") from None
    except OSError as error:
        raise Failure(f"git cannot be started: {error.strerror or error}") from None
    if done.returncode != 0:
        reason = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise Failure(f"git {args[0]}: {reason or f'exit code {done.returncode}'}")
    return done.stdout.decode("utf-8", "replace")
