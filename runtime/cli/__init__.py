"""The command line: one file per command group; heavy imports only inside commands."""

from __future__ import annotations

import atexit
import gc
import signal
import sys
from types import FrameType

_INTERRUPTED = 130


def main() -> int:
    """Run the command that `sys.argv` names; the exit code is docs/cli.md's. SIGTERM is Ctrl-C from
    the first line on: what is under way is cleared up."""
    try:
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _interrupt)
        from flowc.compiler.source.gc_pause import own_process

        from .app import run

        # Python looks through all objects when it ends: a third of the time of a check of 1 MB.
        atexit.register(gc.freeze)
        with own_process():
            return run()
    except KeyboardInterrupt:  # while modules were being loaded
        sys.stderr.write("interrupted\n")
        return _INTERRUPTED


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Do what Ctrl-C does now, also where that is not listened to: in the background."""
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)
    else:
        raise KeyboardInterrupt
