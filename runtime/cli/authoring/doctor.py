"""`flowc doctor`: what this machine offers, and what is missing for which feature."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterator
from importlib import metadata

from flowc import __version__

from ...audio.calls.containers import CODER
from ...config.extras import EXTRAS, how_to_install
from ...files.programs import find_program
from .. import flags
from ..app import FINDINGS, OK
from ..streams import print_result
from .doctor_stores import Finding, stores

_PACKAGES = ("langgraph", "langgraph-checkpoint-sqlite", "langchain", "lark")
_NO_SCRIPTS = "scripts in JavaScript: pip install quickjs-ng"
_KEYS = (
    "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "AZURE_OPENAI_API_KEY",
    "MISTRAL_API_KEY", "GROQ_API_KEY", "DEEPSEEK_API_KEY", "OPENROUTER_API_KEY",
)  # fmt: skip


def doctor(as_json: flags.AsJson = False) -> int:
    """Show versions, stores, providers with a key (names only), Graphviz, the shell, the sandbox.

    Exit code 1 when something that every run needs is missing.
    """
    findings = list(_examine())
    if as_json:
        rows = [dict(zip(("area", "ok", "text", "needed"), f, strict=True)) for f in findings]
        print_result({"findings": rows})
    else:
        width = max(len(area) for area, *_ in findings)
        for area, ok, text, needed in findings:
            sign = "✓" if ok else ("✗" if needed else "-")
            print(f"  {sign} {area:<{width}}  {text}")
    return FINDINGS if any(needed and not ok for _, ok, _, needed in findings) else OK


def _examine() -> Iterator[Finding]:
    yield "flowc", True, __version__, True
    yield "python", True, f"{platform.python_version()} ({platform.system()})", True
    for name in _PACKAGES:
        version = _version(name)
        yield name, version is not None, version or f"pip install {name}", True
    yield from stores()
    yield _shell()
    yield from _sandbox()
    version = _version("quickjs-ng")
    yield "scripts", version is not None, f"QuickJS {version}" if version else _NO_SCRIPTS, False
    yield _graphviz()
    yield _ffmpeg()
    for name, extra in EXTRAS.items():
        there = extra.is_installed
        text = extra.use if there else f"{extra.use}: {how_to_install(name)}"
        yield f"extra {name}", there, text, False
    keys = [name for name in _KEYS if os.environ.get(name)]
    none = "no key is set; --base-url or --answers work without one"
    yield "providers", bool(keys), "keys set: " + ", ".join(keys) if keys else none, False


def _shell() -> Finding:
    bash = find_program("bash")
    return "bash", bash is not None, bash or "needed by activities that run commands", False


_ABOUT = {
    "limits": "bounds memory, files, processes and time",
    "privileges": "takes all capabilities away, and lets none be gained",
    "landlock": "lets only granted files be opened",
    "seccomp": "denies system calls",
    "namespaces": "gives a view of processes, users and network of its own",
    "mounts": "gives a view of files of its own",
}


def _sandbox() -> Iterator[Finding]:
    """Yield what confines commands and generated code here, measured by confining something."""
    from ...sandbox.confine import probe
    from ...sandbox.groups import lend
    from ...sandbox.policy import LAYERS

    shell, snippet = probe("shell"), probe("snippet")
    levels = f"{shell.level} for commands, {snippet.level} for generated code"
    weak = "weak" in (shell.level, snippet.level)
    hint = ": refused unless you type --sandbox off" if weak else "; try it: flowc sandbox attack"
    yield "sandbox", not weak, levels + hint, False
    for layer in LAYERS:
        text = _ABOUT[layer]
        if layer not in shell.active:
            text += f": {shell.missing.get(layer, 'missing')}"
        elif layer == "landlock":
            text += f" ({shell.active[layer]})"
        elif layer == "limits":
            lender = lend()
            group = "the kernel bounds the memory and the processes of all together, in a group"
            text += f"; {group if lender.lends else f'all together are added up: {lender.why}'}"
        yield f"sandbox {layer}", layer in shell.active, text, False


def _graphviz() -> Finding:
    dot = find_program("dot")
    if dot is None:
        there = EXTRAS["draw"].is_installed
        text = "the extra draw is used" if there else "neither the program dot nor the extra draw"
        return "graphviz", there, text, False
    done = subprocess.run([dot, "-V"], capture_output=True, text=True, timeout=10, check=False)
    return "graphviz", True, (done.stderr or done.stdout).strip() or dot, False


def _ffmpeg() -> Finding:
    program = find_program(CODER)
    if program is None:
        return CODER, False, "needed by m4a files (AAC), for reading and writing", False
    command = [program, "-hide_banner", "-version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    version = done.stdout.partition(" Copyright")[0].removeprefix("ffmpeg version ").strip()
    return CODER, done.returncode == 0, f"{version} ({program}), for m4a files", False


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
