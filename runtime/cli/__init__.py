"""The command line: one file per command group; heavy imports only inside commands."""

from __future__ import annotations


def main() -> int:
    """Run the command that `sys.argv` names; the exit code is docs/cli.md's."""
    from flowc.compiler.source.gc_pause import own_process

    from .app import run

    with own_process():
        return run()
