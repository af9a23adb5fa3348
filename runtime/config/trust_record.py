"""The user's record of trust: which folders may be granted what they want, and who owns them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs
from flowc.compiler.source.source import Unreadable, read_text

from ..errors import RunError, reason_of
from .wants import Wants, digest_of

LOCK_FILE = "flowc.trust.json"
_FOLDERS = "folders"
_MINE = "mine"


def record_file() -> Path:
    """Return the file of the record, in the user's own configuration folder."""
    return Path(platformdirs.user_config_dir("flowc"), "trust.json")


@dataclass(frozen=True, slots=True)
class TrustRecord:
    """Entries by the real path of a folder: its own kind of `mine`, or what was accepted."""

    entries: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def read(cls) -> TrustRecord:
        """Return the user's record; an empty one where there is none. Raise `RunError` for a file
        that is not one."""
        file = record_file()
        if not file.exists():
            return cls()
        entries = _json(file).get(_FOLDERS)
        if not isinstance(entries, dict):
            raise RunError(f"{file} is not a record of trust", help="remove it, and trust anew")
        return cls(entries)

    def is_mine(self, folder: str) -> bool:
        """Tell whether a folder, or one around it, is trusted until revoked. A folder that another
        user owns never is."""
        real = Path(os.path.realpath(folder))
        around = (str(each) for each in (real, *real.parents))
        return is_own(folder) and any(_is_mine(self.entries.get(each)) for each in around)

    def acceptance(self, folder: str) -> Wants | None:
        """Return what was accepted of a folder, or None."""
        entry = self.entries.get(os.path.realpath(folder))
        try:
            return None if entry is None or _is_mine(entry) else Wants.from_json(folder, entry)
        except ValueError:
            return None  # of another version, or written by hand: the person is asked again

    def trusts(self, wants: Wants) -> bool:
        """Tell whether a folder may have what it wants now."""
        accepted = self.acceptance(wants.folder)
        return self.is_mine(wants.folder) or (accepted is not None and wants.is_within(accepted))

    def grant(self, wants: Wants) -> None:
        """Keep that a folder may have what it wants. Raise `RunError`."""
        accepted = self.acceptance(wants.folder)
        whole = wants if accepted is None else wants.over(accepted)
        _write({**self.entries, os.path.realpath(wants.folder): whole.to_json()})

    def grant_all(self, folder: str) -> None:
        """Keep that a folder is the user's own. Raise `RunError`, also for one of another user."""
        if not is_own(folder):
            raise RunError(
                f"`{folder}` belongs to another user, who could put anything there",
                help=f"flowc trust {folder} grants what it wants as it is now",
            )
        _write({**self.entries, os.path.realpath(folder): {_MINE: True}})

    def revoke(self, folder: str) -> bool:
        """Forget a folder; return whether it was there. Raise `RunError`."""
        real = os.path.realpath(folder)
        _write({name: entry for name, entry in self.entries.items() if name != real})
        return real in self.entries

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yield the folders, each with `mine` or the digest of what was accepted."""
        for folder in sorted(self.entries):
            accepted = self.acceptance(folder)
            yield folder, _MINE if accepted is None else digest_of([accepted])


def is_own(folder: str) -> bool:
    """Tell whether the user owns a folder."""
    try:
        return os.stat(folder).st_uid == os.getuid()
    except OSError:
        return False


def read_lock(file: Path) -> Wants:
    """Return what a lock file accepts, for the folder that it lies in. Raise `RunError`."""
    try:
        return Wants.from_json(str(file.parent.resolve()), _json(file))
    except ValueError:
        raise RunError(
            f"`{file}` is not a lock of trust", help="`flowc trust` writes one"
        ) from None


def lock_text(wants: Wants) -> str:
    """Return a lock file, in a form that shows well what changed."""
    text = json.dumps(wants.to_json(), indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    # A file's name may be bytes that mean nothing in UTF-8: JSON has escapes for these.
    return text.encode("utf-8", "backslashreplace").decode()


def _is_mine(entry: object) -> bool:
    return isinstance(entry, dict) and entry.get(_MINE) is True


def _json(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(read_text(str(file)))
    except Unreadable as error:
        raise RunError(f"`{file}` {error.reason}") from None
    except (ValueError, RecursionError):
        raise RunError(f"`{file}` is not JSON") from None
    return data if isinstance(data, dict) else {}


def _write(entries: Mapping[str, object]) -> None:
    file = record_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        number, scratch = tempfile.mkstemp(dir=file.parent, prefix=".trust-")
        with open(number, "w", encoding="utf-8") as data:
            json.dump({_FOLDERS: entries}, data, indent=1)
        os.replace(scratch, file)
    except OSError as error:
        raise RunError(f"`{file}` cannot be written: {reason_of(error)}") from None
