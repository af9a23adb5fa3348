"""A person's consent to what folders and workflows want, asked for on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

from ...assembly.admission import require_trust
from ...assembly.run_options import RunOptions
from ...config.code_files import changed_files
from ...config.settings import Config
from ...config.trust_record import TrustRecord, is_own
from ...config.wants import NotTrusted, Wants, digest_of
from ...errors import RunError
from ..app import color_diff, say
from ..streams import Mode
from .questions import can_ask, read_line

Made = TypeVar("Made")
Consent = Literal["once", "always", "no"]
_WORDS: dict[str, Consent] = {
    "y": "once", "yes": "once", "o": "once", "once": "once",
    "a": "always", "always": "always", "n": "no", "no": "no",
}  # fmt: skip


def with_consent(options: RunOptions, mode: Mode, make: Callable[[RunOptions], Made]) -> Made:
    """Return what `make` makes of the options. Where a person has to grant something for that, they
    are asked. Raise `NotTrusted` when they say no, and where nobody can be asked."""
    try:
        return make(options)
    except NotTrusted as refusal:
        if not consents(refusal, mode):
            raise
        return make(replace(options, trust=digest_of(refusal.wants)))


def whole_config(config: Config, mode: Mode = "text") -> Config:
    """Return the configuration with all that it held back, for a command without `--trust`. Raise
    `NotTrusted` where nobody grants that."""
    if config.held is None:
        return config
    try:
        require_trust([config.held.wants], config.trust)
    except NotTrusted as refusal:
        if not consents(refusal, mode):
            digest = digest_of(refusal.wants)
            refusal.help = f"flowc trust . shows it and asks; or FLOWC_TRUST={digest} grants it"
            raise
    return config.held.whole


def consents(refusal: NotTrusted, mode: Mode) -> bool:
    """Ask whether what is wanted may be had; keep an answer that is for always."""
    if mode in ("json", "jsonl") or not can_ask():
        return False
    if not refusal.lasting:
        say(refusal.message, *color_diff(refusal.diff))
        return ask_consent("yes / no > ") != "no"
    show_wants(refusal.wants, refusal.diff)
    answer = ask_consent("once / always / no > ")
    if answer != "no":
        require_unchanged(refusal.wants)
    if answer == "always":
        for wants in refusal.wants:
            TrustRecord.read().grant(wants)
    return answer != "no"


def require_unchanged(several: Sequence[Wants]) -> None:
    """Raise `RunError` for files that are not those any more which the person was shown."""
    for wants in several:
        if changed := changed_files(wants.files, Path(wants.folder)):
            raise RunError(
                f"{', '.join(changed)} changed in `{wants.folder}` while you were asked",
                help="look at what is wanted again",
                exit_code=8,
            )


def show_wants(several: Sequence[Wants], lines: Sequence[str]) -> None:
    """Show what folders want; whose they are where they are not the user's."""
    for wants in several:
        whose = "" if is_own(wants.folder) else ", which belongs to another user,"
        say(*color_diff((f"{wants.folder}{whose} wants this:",)))
    say(*color_diff(tuple(lines)))


def ask_consent(prompt: str) -> Consent:
    """Ask until the answer is one; no answer is a no."""
    while True:
        try:
            line = read_line(prompt).strip().lower()
        except EOFError:
            say("")
            return "no"
        if line in _WORDS:
            return _WORDS[line]
