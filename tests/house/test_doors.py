"""Files are opened in two places, the compiler's door and the runtime's, and in a few others that
have a reason: what is opened there is flowc's own, or a person named it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

DOORS = ("compiler/source/door.py", "runtime/files/")
ELSEWHERE = {
    "grammar/__init__.py": "the grammars of the package",
    "runtime/audio/door.py": "what a call names, in a process that may open nothing else",
    "runtime/audio/calls/": "sound is worked on in its own file, under a lock that is held on it",
    "runtime/audio/headers/": "the speakers of a sound, in the file that its call has written",
    "runtime/audio/tags/": "what a sound says of itself, in the file that its call has locked",
    "runtime/cassette/writer.py": "the recording that a run writes, by the name that was typed",
    "runtime/cli/app.py": "/dev/null in the place of an output that was closed",
    "runtime/cli/delivery.py": "the output that a person named, which may be a pipe",
    "runtime/cli/serving/dev.py": "the mark of the folder that the server keeps for itself",
    "runtime/cli/streams.py": "standard input and output",
    "runtime/config/trust_record.py": "the user's own record",
    "runtime/db/": "the store's files and leases, and what the kernel says of a process",
    "runtime/documents/file.py": "a living document is locked, compared and replaced by descriptor",
    "runtime/sandbox/": "the cage: its views, its room, what the kernel says of its processes",
    "runtime/store/own_runs.py": "the user's own key",
    "runtime/testing/case.py": "the answers of a case, in a folder of the test",
    "runtime/torture/": "the folder of one trial",
}
METHODS = {"read_text", "read_bytes", "write_text", "write_bytes"}
FUNCTIONS = {"fdopen", "open_code", "mkstemp", "copy", "copy2", "copyfile", "copytree"}
MODULES = {"os", "io", "tempfile", "shutil", "codecs"}
MODE = re.compile(r"[rwax][bt+]*")


def opens(call: ast.Call) -> bool:
    """Tell whether a call opens a file by its name. Resources of the package are none, and methods
    of the door have the names of `Path`'s."""
    if isinstance(call.func, ast.Name):
        return call.func.id == "open"
    if not isinstance(call.func, ast.Attribute):
        return False
    name, owner = call.func.attr, ast.unparse(call.func.value)
    if name in METHODS:
        return not re.search(r"^files\(__package__\)|roots$|^self\._of\(base\)$|^self$", owner)
    modes = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if name == "open" and any(map(MODE.fullmatch, modes)):
        return True
    return owner in MODULES and name in FUNCTIONS | {"open"}


def test_files_are_opened_in_the_doors_and_where_the_table_says_why(
    root: Path, sources: tuple[Path, ...], tree: Callable[[Path], ast.Module]
) -> None:
    found = {
        f"{file.relative_to(root)}:{node.lineno}": file.relative_to(root).as_posix()
        for file in sources
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Call) and opens(node)
    }
    known = (*DOORS, *ELSEWHERE)
    assert [place for place, file in found.items() if not file.startswith(known)] == []
    stale = [row for row in known if not any(file.startswith(row) for file in found.values())]
    assert stale == [], "nothing is opened there any more"


def test_the_scan_sees_every_way_to_open_a_file() -> None:
    seen = (
        "open(p)",
        "p.open('rb')",
        "Path(p).read_text()",
        "p.parent.write_bytes(b'')",
        "os.open(p, 0)",
        "os.fdopen(3)",
        "tempfile.mkstemp()",
        "shutil.copy(a, b)",
    )
    other = ("files(__package__).joinpath('x').read_text()", "roots.read_text(p)", "cipher.open(b)")
    assert [opens(ast.parse(text, mode="eval").body) for text in seen] == [True] * len(seen)  # type: ignore[arg-type]
    assert [opens(ast.parse(text, mode="eval").body) for text in other] == [False] * len(other)  # type: ignore[arg-type]
