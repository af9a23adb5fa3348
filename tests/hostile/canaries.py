"""What strangers must not reach, and who sees that they did: files, servers, variables, a key.

Nothing here believes what flowc says. What was imported or started left a mark, what was sent lies
in a server, what was read shows in the output or in the folder, what was changed in a fingerprint.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import stat
from dataclasses import dataclass, field
from pathlib import Path

from openai_server import OpenAIServer, Say

ROOT = Path(__file__).resolve().parents[2]
VALUES = {
    "HARMLESS": "canary-4b1d-variable",
    "CANARY_TOKEN": "canary-77e0-token",
    "OPENAI_API_KEY": "canary-9c35-key",
}
SECRET = "canary-15aa-file"
RAW = ("\x1b", "\x07")
"""What a terminal obeys."""


RAN = "nobody-said-yes"
"""What a command prints that a stranger approves; it is in no document."""


@dataclass
class Canaries:
    """One user with a model server of theirs, and a stranger's server."""

    place: Path
    own: OpenAIServer
    theirs: OpenAIServer
    before: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.mark = self.place / "mark"
        self.out = self.place / "outside"
        self.home = self.place / "home"
        self.out.mkdir()
        (self.home / "flowc").mkdir(parents=True)
        model = f'model = "openai:gpt-5-mini"\nbase_url = "{self.own.url}"\n'
        (self.home / "flowc/config.toml").write_text(model)
        self.own.answer = self.theirs.answer = lambda request: Say("hello")
        self.lay_out()

    def lay_out(self) -> None:
        """Put everything back as it was."""
        self.mark.unlink(missing_ok=True)
        shutil.rmtree(self.out)
        self.out.mkdir()
        (self.out / "secret").write_text(SECRET)
        self.own.requests.clear()
        self.theirs.requests.clear()
        self.before = fingerprint(self.out)

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("FLOWC_", "OPENAI_"))}
        path = os.pathsep.join(filter(None, [str(ROOT / ".types"), os.environ.get("PYTHONPATH")]))
        home = str(self.home)
        usual = {"PYTHONPATH": path, "PYTHONUTF8": "1", "XDG_CONFIG_HOME": home, "HOME": home}
        return {**kept, **usual, **VALUES}

    def fill(self, text: str, here: Path) -> str:
        """Return a text with the names of what it is after."""
        names = {"MARK": self.mark, "OUT": self.out, "URL": self.theirs.url.removesuffix("/v1")}
        names |= {"HERE": here, "UP": os.path.relpath(self.out, here)}
        for name, value in names.items():
            text = text.replace(f"@{name}@", str(value))
        return text

    def write(self, folder: Path, files: dict[str, str]) -> None:
        """Make a stranger's folder: `-> PLACE` is a link, `=> PLACE` another name of a file, `|` a
        pipe, `socket` a socket, `sql:…` a SQLite file, `#!…` a program."""
        for name, text in files.items():
            file, whole = folder / name, self.fill(text, folder)
            file.parent.mkdir(parents=True, exist_ok=True)
            if whole.startswith("-> "):
                file.symlink_to(whole.removeprefix("-> "))
            elif whole.startswith("=> "):
                file.hardlink_to(whole.removeprefix("=> "))
            elif whole == "|":
                os.mkfifo(file)
            elif whole == "socket":
                os.mknod(file, stat.S_IFSOCK | 0o600)
            elif whole.startswith("sql:"):
                with sqlite3.connect(file) as made:
                    made.executescript(whole.removeprefix("sql:"))
                made.close()
            else:
                file.write_text(whole, encoding="utf-8")
                file.chmod(0o755 if whole.startswith("#!") else 0o644)

    def harm(self, said: str, folder: Path) -> list[str]:
        """Return what was done by what a command said and left in the folder; [] for nothing."""
        done = []
        if self.mark.exists():
            done.append(f"ran: {self.mark.read_text()}")
        if self.theirs.requests:
            done.append(f"sent to a stranger: {[r.path for r in self.theirs.requests]}")
        if fingerprint(self.out) != self.before:
            done.append(f"changed outside: {sorted(os.listdir(self.out))}")
        if RAN in said:
            done.append("a command ran, and nobody was asked")
        done += [f"raw: {mark!r}" for mark in RAW if mark in said]
        shown = said.encode() + b"".join(
            file.read_bytes()
            for file in folder.rglob("*")
            if file.is_file() and _is_in(file, folder) and file.stat().st_nlink == 1
        )
        asked = str([request.body for request in self.own.requests]).encode()
        for value in (*VALUES.values(), SECRET):
            done += [f"read: {value}"] * (value.encode() in shown + asked)
        return done


def fingerprint(folder: Path) -> dict[str, str]:
    """The digests of a folder's files by name."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(f.relative_to(folder)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def _is_in(file: Path, folder: Path) -> bool:
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder))
