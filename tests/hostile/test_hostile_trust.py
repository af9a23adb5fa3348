"""A stranger's document or folder grants itself nothing, whatever command meets it.

`make test` tries each once, with a command that changes from one to the next; `make soak
PART=trust` tries all of them with every command.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_rows import leaves
from flowc.runtime.cli.app import COMMANDS as ROWS
from openai_server import OpenAIServer

from .canaries import Canaries
from .commands import COMMANDS, HEAVY, OF_NO_FOLDER, STARTER, started
from .document_paths import DOCUMENT_PATHS
from .documents import DOCUMENTS
from .folders import FOLDERS, Folder
from .odd_documents import ODD_DOCUMENTS
from .odd_folders import ODD_FOLDERS
from .planted import lay, plant
from .planted_files import PLANTED
from .server_files import SERVER_FILES

STRANGERS: dict[str, Folder] = (
    FOLDERS
    | PLANTED
    | SERVER_FILES
    | ODD_FOLDERS
    | {
        f"document {name}": Folder(
            one.tries, {one.name: one.text, **one.beside}, command=one.command
        )
        for name, one in (DOCUMENTS | DOCUMENT_PATHS | ODD_DOCUMENTS).items()
    }
)
ONCE = [
    (name, one.command or list(COMMANDS)[number % len(COMMANDS)])
    for number, (name, one) in enumerate(STRANGERS.items())
]
ALL = [(name, command) for name in STRANGERS for command in {**COMMANDS, **HEAVY}]


@pytest.fixture(scope="module")
def canaries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Canaries]:
    with OpenAIServer() as own, OpenAIServer() as theirs:
        yield Canaries(tmp_path_factory.mktemp("canaries"), own, theirs)


@pytest.fixture(scope="module")
def planted(canaries: Canaries, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plant(canaries, tmp_path_factory.mktemp("planted"))


def meet(canaries: Canaries, planted: Path, folder: Path, name: str, command: str) -> None:
    stranger = STRANGERS[name]
    canaries.lay_out()
    folder /= stranger.inside
    folder.mkdir(exist_ok=True)
    canaries.write(folder, stranger.files)
    lay(planted, folder)
    document = next(n for n in stranger.files if n.startswith(("t.", "workflow.")) and "." in n[1:])
    document = next((n for n in stranger.files if n == "t.flow.yaml"), document)
    env = canaries.environment()
    if stranger.fresh and command.split()[0] in ("run", "check", "tools", "compile"):
        starter = None
        if stranger.script:
            starter = canaries.place / "flowc"
            starter.write_text(STARTER)
        words = tuple(document if w == "DOC" else w for w in FRESH[command.split()[0]])
        said = started(folder, words, env, starter)
    else:
        said = {**COMMANDS, **HEAVY}[command](folder, document, env)
    assert canaries.harm(said, folder) == [], said


FRESH = {
    "run": ("run", "DOC", "--run-id", "r"),
    "check": ("check", "DOC"),
    "tools": ("tools", "list"),
    "compile": ("compile", "DOC", "-o", "built"),
}


def test_every_command_of_the_command_line_meets_them():
    met = {
        " ".join(word for word in name.split() if word[0] != "-") for name in (*COMMANDS, *HEAVY)
    }
    known = {name for row in ROWS for name in leaves(row)}
    assert met.isdisjoint(OF_NO_FOLDER)
    assert met | {*OF_NO_FOLDER} == known


@pytest.mark.parametrize(("name", "command"), ONCE)
def test_a_stranger_meets_one_command(canaries, planted, tmp_path, name, command):
    meet(canaries, planted, tmp_path, name, command)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "command"), ALL)
def test_a_stranger_meets_every_command(canaries, planted, tmp_path, name, command):
    meet(canaries, planted, tmp_path, name, command)
