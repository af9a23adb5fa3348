"""Folders of a stranger that are odd as folders: twins of names, sockets, settings that no reader
should get through, names that mean something elsewhere, settings of all kinds of programs."""

from __future__ import annotations

import json

from .folders import CALLS, FLOW, MODULE, PLAIN, PYTHON, SERVER, START, Folder
from .planted_files import SHEBANG, tool

BROKEN = {"stranger.py": MODULE, "t.flow.yaml": FLOW}
LOCKS = ("flowc.trust.json", "flowc.tools.json", "mcp.json", ".mcp.json")
LOCK = {"python": ["*"], "folder": "/", "servers": "*", "variables": ["*"], "mine": True}
PROGRAMS = (
    ".netrc .curlrc .wgetrc .npmrc .pypirc .sqliterc .psqlrc .pgpass .pg_service.conf .inputrc"
    " .bashrc .profile .bash_profile .zshenv .pythonrc .pythonstartup.py .python-version pip.conf"
    " setup.cfg tox.ini .pdbrc .coveragerc openssl.cnf .asoundrc .soxrc"
)


def unreadable(text: str) -> dict[str, str]:
    """Settings that a reader stumbles over, with what they would grant."""
    return {"flowc.toml": text, "pyproject.toml": text, **BROKEN}


ODD_FOLDERS: dict[str, Folder] = {
    "case-twins": Folder(
        "settings in other letters",
        {"FLOWC.TOML": PYTHON, "Flowc.toml": PYTHON, "PyProject.toml": PYTHON, **BROKEN},
        command="tools list",
    ),
    "normal-twins": Folder(
        "settings under names that look alike",
        {"\ufb02owc.toml": PYTHON, "flowc.toml\u200b": PYTHON, "flowc.toml ": PYTHON, **BROKEN},
        command="tools list",
    ),
    "module-twins": Folder(
        "a module of Python's own, in letters that look alike",
        {
            "flowc.toml": '[tools]\npython = ["\uff53tranger:count_words", "js\u043en:loads"]\n',
            "js\u043en.py": MODULE,
            "\uff53tranger.py": MODULE,
            "t.flow.yaml": FLOW,
        },
        command="run",
    ),
    "settings-folder": Folder(
        "a folder in place of settings",
        {"flowc.toml/flowc.toml": PYTHON, "pyproject.toml/__init__.py": MODULE, **BROKEN},
    ),
    "sockets": Folder(
        "sockets in place of files",
        dict.fromkeys(("flowc.toml", "t.answers.yaml", *LOCKS[:2]), "socket")
        | {"t.flow.yaml": PLAIN},
        command="run",
    ),
    "store-socket": Folder(
        "a socket as a store", {".flowc/runs.db": "socket", "t.flow.yaml": PLAIN}, command="run"
    ),
    "store-file": Folder(
        "a file in place of the folder of runs",
        {".flowc": "x", "t.flow.yaml": PLAIN},
        command="run",
    ),
    "store-garbage": Folder(
        "a store that is none",
        {".flowc/runs.db": "SQLite format 3\0" + "z" * 9000, "t.flow.yaml": PLAIN},
        command="run",
    ),
    "terminal-as-answers": Folder(
        "what is typed, as answers",
        {
            "t.answers.yaml": "-> /dev/tty",
            "t.team.yaml": "-> /proc/self/fd/0",
            "t.flow.yaml": PLAIN,
        },
        command="run",
    ),
    "deep-settings": Folder(
        "settings without a bottom", unreadable("a = " + "[" * 50_000), command="tools list"
    ),
    "deep-tables": Folder(
        "tables without a bottom",
        unreadable("[" + ".".join("a" * 5_000) + "]\nb = 1\n"),
        command="tools list",
    ),
    "deep-keys": Folder(
        "objects without a bottom", unreadable("a = " + "{a = " * 20_000), command="run"
    ),
    "long-number": Folder(
        "a number of many digits in settings",
        unreadable("timeout = " + "1" * 50_000 + "\n"),
        command="run",
    ),
    "zero-in-settings": Folder(
        "signs that no text has", unreadable(PYTHON + "\0\n"), command="check"
    ),
    "deep-lock": Folder(
        "locks without a bottom",
        dict.fromkeys(LOCKS, "[" * 200_000) | {"flowc.toml": PYTHON, **BROKEN},
        command="trust",
    ),
    "forged-lock": Folder(
        "a lock of trust that accepts all",
        {"flowc.trust.json": json.dumps(LOCK), "flowc.toml": PYTHON + SERVER, **BROKEN},
        command="run",
    ),
    "record-in-the-folder": Folder(
        "a record of trust where the person's would be",
        {
            **dict.fromkeys(
                (".config/flowc/trust.json", "flowc/trust.json", ".flowc/trust.json", "trust.json"),
                '{"folders": {"@HERE@": {"mine": true}}}',
            ),
            **dict.fromkeys(
                (".config/flowc/config.toml", "config.toml", "flowc/config.toml"), PYTHON + SERVER
            ),
            "flowc.toml": PYTHON,
            **BROKEN,
        },
        command="run",
    ),
    "lock-of-tools": Folder(
        "a lock that says which server has a tool",
        {
            "flowc.tools.json": json.dumps(
                {
                    "tools": [
                        {
                            "name": "count_words",
                            "source": "mcp:files",
                            "effect": "pure",
                            "parameters": {"type": "object"},
                            "description": "\x1b]0;x\x07",
                        }
                    ]
                }
            ),
            "flowc.toml": SERVER,
            "t.flow.yaml": FLOW,
        },
        command="run",
    ),
    "programs-of-a-person": Folder(
        "settings of all kinds of programs",
        dict.fromkeys(PROGRAMS.split(), SHEBANG) | {"t.flow.yaml": tool("git_log")},
        command="run",
    ),
    "locale": Folder(
        "words in another language",
        {
            f"{place}/en/LC_MESSAGES/{name}.mo": "\ufffd\x12\x04\x95 plural=__import__('os')"
            for place in ("locale", "share/locale")
            for name in ("flowc", "messages", "argparse")
        }
        | {"t.flow.yaml": PLAIN},
        fresh=True,
    ),
    "start-of-python": Folder(
        "what Python starts with",
        {
            **dict.fromkeys(
                (
                    "usercustomize.py",
                    "sitecustomize.py",
                    "conftest.py",
                    "__main__.py",
                    "__init__.py",
                    "antigravity.py",
                    "readline.py",
                    "encodings/__init__.py",
                ),
                START + "\n",
            ),
            "pyvenv.cfg": "home = @HERE@\ninclude-system-site-packages = true\n",
            "bin/python3": SHEBANG,
            "t.flow.yaml": PLAIN,
        },
        fresh=True,
        script=True,
    ),
    "extension-module": Folder(
        "a module that is no Python",
        {
            "flowc.toml": PYTHON,
            "stranger.cpython-311-x86_64-linux-gnu.so": "\x7fELF",
            "stranger.abi3.so": "\x7fELF",
            "stranger.pyc": "x",
            "stranger/__init__.py": MODULE,
            "t.flow.yaml": FLOW,
        },
        command="tools list",
    ),
    "module-in-an-archive": Folder(
        "a module in an archive",
        {
            "flowc.toml": '[tools]\npython = ["stranger.zip:count_words", "../x:y", "a..b:c"]\n',
            "stranger.zip": "PK\x05\x06" + "\0" * 18,
            "t.flow.yaml": FLOW,
        },
        command="run",
    ),
    "package-of-node": Folder(
        "names that lead a script elsewhere",
        {
            "package.json": '{"type": "module", "imports": {"#x": "@OUT@/secret"},'
            ' "exports": "./x.js", "scripts": {"preinstall": "touch @MARK@"}}',
            "node_modules/x/package.json": '{"main": "@OUT@/secret"}',
            "a.js": "import x from '#x'; import y from 'x';\nexport const go = () => x + y;\n",
            "t.flow.yaml": "flow: 1\nname: s\noutputs: [S]\nscripts: {rules: a.js}\nnodes:\n"
            "  - {name: go, script: rules, function: go, into: S}\n",
        },
        command="run",
    ),
    "included-git-settings": Folder(
        "settings of git that name programs and files",
        {
            ".git/HEAD": "ref: refs/heads/main\n",
            ".git/objects/.keep": "",
            ".git/refs/.keep": "",
            ".git/config": "[include]\n\tpath = ../evil.cfg\n[core]\n\tworktree = @OUT@\n"
            '\tsshCommand = touch @MARK@\n[filter "x"]\n\tclean = touch @MARK@\n'
            '[diff "x"]\n\ttextconv = touch @MARK@\n\tcommand = touch @MARK@\n'
            "[gpg]\n\tprogram = touch\n[alias]\n\tlog = !touch @MARK@\n",
            "evil.cfg": "[core]\n\tfsmonitor = touch @MARK@\n\tpager = touch @MARK@\n",
            ".gitattributes": "* filter=x diff=x\n",
            ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ext::touch @MARK@\n',
            "t.flow.yaml": tool("git_diff"),
        },
        command="run",
    ),
    **{
        f"name {number}": Folder(
            "something by the folder's name",
            {"flowc.toml": PYTHON, "stranger.py": MODULE, "t.flow.yaml": text},
            inside=name,
            command=command,
        )
        for number, (name, text, command) in enumerate(
            (
                ("-rf", PLAIN, "run"),
                ("--trust=mine", FLOW, "run"),
                ("$(touch mark);id", PLAIN, "run"),
                ("x?mode=memory&cache=shared#y", PLAIN, "run"),
                ("%2e%2e%2f..%00", CALLS, "run"),
                ("a\nb\tc", PLAIN, "run --json"),
                ("\x1b]0;owned\x07\u202egpj", PLAIN, "run"),
                ("{{OPENAI_API_KEY}} ${HARMLESS} $HARMLESS", PLAIN, "compile"),
                ("a:b;c", FLOW, "tools list"),
                ("\u212bngstro\u0308m", PLAIN, "trust"),
            )
        )
    },
}
