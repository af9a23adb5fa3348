"""The command line: one file per command group; heavy imports only inside commands."""

from __future__ import annotations


def main() -> int:
    """Run the command that `sys.argv` names; the exit code is docs/cli.md's."""
    from .app import run

    return run()
