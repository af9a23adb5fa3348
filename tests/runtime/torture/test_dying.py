"""Children that die: by a signal, at a boundary, by an exception, or because they hang."""

from __future__ import annotations

import os
import signal
import sys
import time

from flowc.runtime.torture.dying import Blow, End, in_child


def test_a_child_gives_its_exit_code_and_what_it_printed(tmp_path):
    def body() -> int:
        print("said")
        print("complained", file=sys.stderr)
        return 5

    assert in_child(body, Blow(), tmp_path) == End(5, False)
    assert (tmp_path / "out").read_text() == "said\n"
    assert (tmp_path / "err").read_text() == "complained\n"


def test_a_child_that_raises_or_closes_its_streams_ends_all_the_same(tmp_path):
    here = os.getpid()

    def raises() -> int:
        raise ValueError("no")

    def closes() -> int:
        sys.stdout.close()
        return 0

    assert in_child(raises, Blow(), tmp_path).code == 3
    assert "ValueError: no" in (tmp_path / "err").read_text()
    assert in_child(closes, Blow(), tmp_path).code == 0
    assert os.getpid() == here


def test_a_signal_hits_a_child_that_lives_and_misses_one_that_has_ended(tmp_path):
    blow = Blow(((0.2, signal.SIGKILL),))
    assert in_child(lambda: time.sleep(60) or 0, blow, tmp_path) == End(-signal.SIGKILL, True)
    assert in_child(lambda: 0, blow, tmp_path) == End(0, False)


def test_a_child_that_hangs_says_where_it_stood(tmp_path):
    def hangs() -> int:
        time.sleep(60)
        return 0

    end = in_child(hangs, Blow(), tmp_path, patience=0.3)
    assert end.code == -signal.SIGKILL
    assert "in hangs" in end.hung


def test_nobody_reads_what_the_person_types(tmp_path):
    assert in_child(lambda: len(os.read(0, 1)), Blow(), tmp_path).code == 0
