"""What `--team-root` and `--team-env` say: files and variables of the teams of a service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...assembly.reach import Reach, Reaches
from ...errors import RunError


def read_reaches(roots: Sequence[str], env: Sequence[str], here: Path) -> dict[str, Reach]:
    """Return what `--team-root TEAM=FOLDER` and `--team-env TEAM=NAME` say; `here` is the folder of
    the service. Raises `RunError` for a folder that is missing, that holds the service's own, or
    that two teams would share."""
    found: dict[str, Reach] = {}
    for text in roots:
        team, folder = _pair(text, "--team-root TEAM=FOLDER")
        if found.setdefault(team, Reach()).root is not None:
            raise RunError(f"the team `{team}` has two folders", help="name one --team-root of it")
        found[team] = Reach(_root(text, folder, here.resolve(), found))
    for text in env:
        team, name = _pair(text, "--team-env TEAM=NAME")
        known = found.get(team, Reach())
        found[team] = replace(known, env=(*known.env, name))
    return found


def _pair(text: str, form: str) -> tuple[str, str]:
    team, sign, value = text.partition("=")
    if not sign or not value:
        help = f"{form}; nothing before the sign: tokens without a team"
        raise RunError(f"`{text}` does not say for which team", help=help)
    return team, value


def _root(text: str, folder: str, here: Path, others: Reaches) -> Path:
    root = Path(folder).resolve()
    if not root.is_dir():
        raise RunError(f"--team-root {text}: there is no folder `{folder}`", help="make it first")
    if here.is_relative_to(root):
        # Its flowc.toml, its store and its tokens would be the team's to write.
        raise RunError(
            f"--team-root {text}: the folder of the service lies in it",
            help="start the service elsewhere, or give the team a folder of its own",
        )
    if root.is_relative_to(here / ".flowc"):
        raise RunError(f"--team-root {text}: the store lies there", help="name another folder")
    for team, reach in others.items():
        if reach.root and (root.is_relative_to(reach.root) or reach.root.is_relative_to(root)):
            raise RunError(
                f"--team-root {text}: the team `{team}` has {reach.root}",
                help="give every team a folder that lies in no other one's",
            )
    return root
