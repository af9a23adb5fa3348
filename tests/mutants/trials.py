"""Mutants in a copy of the tree, one after the other, each in a forked process of its own.

For each row of guards one process collects the tests once. It forks a child for each mutant, gives
the changed function its new code and runs the tests that run the changed line, until one fails.
A change of something else (a table, a default, what runs while modules are imported) needs a
process that imports the changed file: a child of the judge, which has imported no flowc.

The first child runs every test without a mutant, and notes which test runs which lines and how long
it takes. One that fails is left out; those about time and volume are too slow for every mutant.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import Literal, TypeVar

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, Phase, settings

from .guards import GUARDS, Guards
from .mutations import Mutant

T = TypeVar("T")
Say = Callable[[Mutant, str], None]
Fate = Literal["killed", "survived", "timeout"]
ENOUGH = 3.0
"""Seconds of tests for one mutant, the fast ones first, as long as they took without it."""
PATIENCE = 15
"""Seconds of the processor for one mutant."""
GRACE, SLOWER = 30.0, 10.0
"""Seconds by the clock for one mutant, and how often as much as its tests take without it: one may
wait for ever and use no processor."""
OPTIONS = (
    *("-q", "-x", "-s", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not soak"),
    *("--hypothesis-profile", "mutants"),
)
ALWAYS = ""
"""In place of a test's name: what runs while modules are imported and tests are collected."""


@dataclass
class Notes:
    """What tests do without a mutant: how long each takes (`seconds` of the processor, `waits` by
    the clock), and the lines that it runs."""

    seconds: dict[str, float] = field(default_factory=dict)
    waits: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    modules: list[str] = field(default_factory=list)

    def at_import(self, mutant: Mutant) -> bool:
        """Whether the change makes a difference before any test begins."""
        return not mutant.last or any(ALWAYS in tests for tests in self._body(mutant))

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Those that run the changed line, as many as time allows."""
        runners = self.seconds if self.at_import(mutant) else self._runners(mutant)
        tests = [(self.seconds[test], test) for test in runners]
        total, chosen = 0.0, []
        for seconds, test in sorted(tests):
            total += seconds
            if total > ENOUGH:
                break
            chosen.append(test)
        return chosen

    def deadline_of(self, tests: Sequence[str]) -> float:
        """How many seconds by the clock these tests may take with a mutant."""
        return GRACE + SLOWER * sum(self.waits[test] for test in tests)

    def _body(self, mutant: Mutant) -> list[list[str]]:
        """Which tests run each line of the changed function; its first one runs at import."""
        lines = self.lines.get(mutant.file, {})
        return [lines.get(number, []) for number in range(mutant.first + 1, mutant.last + 1)]

    def _runners(self, mutant: Mutant) -> set[str]:
        """The tests that run the changed line; where that is not known, the changed function."""
        line = self.lines.get(mutant.file, {}).get(mutant.line)
        return set(line) if line else {test for tests in self._body(mutant) for test in tests}


@dataclass
class Outcome:
    """What a row leaves to the judge: mutants that none of its tests noticed, and those that need a
    process of their own."""

    alive: list[int]
    left: list[int]
    notes: Notes


class Row:
    """A plugin of pytest: in place of the tests it runs mutants, and says what became of each."""

    def __init__(self, root: Path, guards: Guards, mutants: Sequence[Mutant], say: Say) -> None:
        self.notes = Notes()
        self.alive: list[int] | None = None
        self.left: list[int] = []
        self._say = say
        self._mutants = mutants
        self._root = root
        self._files = {str(root / file): file for file in guards.files(root)}
        self._files |= {str(root / ".types/flowc" / f): f for f in self._files.values()}
        self._coverage = Coverage(data_file=None, config_file=False, include=[*self._files])
        self._coverage.start()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests in a first child, then some of them for each mutant."""
        code, notes = in_child(lambda: self._take_notes(session), PATIENCE * 20)
        self._coverage.stop()
        if code != 0 or notes is None:
            session.shouldfail = "they end the process without a mutant"
            return True
        self.notes = notes
        functions = _functions([*self._files])
        gc.freeze()
        items = {item.nodeid: item for item in session.items}
        unchanged = (replace(mutant, after=mutant.before) for mutant in self._mutants[:1])
        if any(self._fate(mutant, items, functions) == "killed" for mutant in unchanged):
            session.shouldfail = "a mutant that changes nothing dies"
            return True
        self.alive = []
        for number, mutant in enumerate(self._mutants):
            match self._fate(mutant, items, functions):
                case None:
                    self.left.append(number)
                case "survived":
                    self.alive.append(number)
                case fate:
                    self._say(mutant, fate)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print what failed: the log ends with it."""
        if report.failed:
            print(report.nodeid, report.longreprtext, sep="\n", flush=True)

    def _take_notes(self, session: pytest.Session) -> tuple[int, Notes]:
        for item in session.items:
            self._coverage.switch_context(item.nodeid)
            began, clock = time.process_time(), time.monotonic()
            if not _fails([item]):
                self.notes.seconds[item.nodeid] = time.process_time() - began
                self.notes.waits[item.nodeid] = time.monotonic() - clock
        self._coverage.stop()
        data = self._coverage.get_data()
        for path in data.measured_files():
            lines = self.notes.lines.setdefault(self._files[path], {})
            for line, tests in data.contexts_by_lineno(path).items():
                known = (test for test in tests if test == ALWAYS or test in self.notes.seconds)
                lines.setdefault(line, []).extend(known)
        self.notes.modules = [*_foreign_modules()]
        return 0, self.notes

    def _fate(
        self, mutant: Mutant, items: dict[str, pytest.Item], functions: list[FunctionType]
    ) -> Fate | None:
        """None for a mutant that needs a process of its own."""
        lines = range(mutant.first, mutant.last + 1)
        changed = [f for f in functions if self._files[f.__code__.co_filename] == mutant.file]
        changed = [f for f in changed if f.__code__.co_firstlineno in lines]
        if self.notes.at_import(mutant) or not changed:
            return None
        tests = self.notes.tests_of(mutant)
        codes = [*_outermost(compile(mutant.text, mutant.file, "exec", dont_inherit=True))]
        new = [_same_place(function.__code__, codes) for function in changed]
        if any(a.__code__.co_freevars != b.co_freevars for a, b in zip(changed, new, strict=True)):
            return None  # Python lets a function have other code only for the same outer names

        def run() -> tuple[int, None]:
            for function, code in zip(changed, new, strict=True):
                function.__code__ = code
            return int(_fails([items[test] for test in tests])), None

        with file_with(self._root / mutant.file, mutant.text):
            return _fate_of(in_child(run, PATIENCE, self.notes.deadline_of(tests))[0])


class Chosen:
    """A plugin of pytest that runs some of the tests in a given order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._place = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the chosen ones."""
        chosen = [item for item in items if item.nodeid in self._place]
        items[:] = sorted(chosen, key=lambda item: self._place[item.nodeid])


def judge(root: Path, mutants: Sequence[Mutant], say: Say, *, near: bool) -> None:
    """Say what becomes of each mutant, row by row of guards: first the mirror tests are asked, then
    the wider ones unless only the `near` ones are wanted. The root is a copy of the tree."""
    for guards in GUARDS:
        files = {*guards.files(root)}
        group = [mutant for mutant in mutants if mutant.file in files]
        for paths in (guards.mirror, () if near else guards.wider):
            if group and paths:
                group = _killing(root, guards, group, paths, say)
        for mutant in group:
            say(mutant, "survived")


def _killing(
    root: Path, guards: Guards, group: Sequence[Mutant], paths: Sequence[str], say: Say
) -> list[Mutant]:
    """The mutants that these tests leave alive; what becomes of the others is said."""

    def run() -> tuple[int, Outcome | None]:
        row = Row(root, guards, group, say)
        code = int(pytest.main([*OPTIONS, *paths], [row]))
        return code, None if row.alive is None else Outcome(row.alive, row.left, row.notes)

    code, outcome = in_child(run, 100 * PATIENCE)
    if outcome is None or code != 0:
        raise SystemExit(f"the tests of {guards.code} end with {code}:\n{log_text()}")
    for name in outcome.notes.modules:
        with suppress(ImportError):
            import_module(name)
    assert not any(name.split(".")[0] == "flowc" for name in sys.modules)
    alive = [group[number] for number in outcome.alive]
    for number in outcome.left:
        fate = _fate_in_own_process(root, group[number], outcome.notes)
        if fate == "survived":
            alive.append(group[number])
        else:
            say(group[number], fate)
    return alive


def _fate_in_own_process(root: Path, mutant: Mutant, notes: Notes) -> Fate:
    tests = notes.tests_of(mutant)
    files = [*dict.fromkeys(test.partition("::")[0] for test in tests)]

    def run() -> tuple[int, None]:
        return int(pytest.main([*OPTIONS, *files], [Chosen(tests)])), None

    with file_with(root / mutant.file, mutant.text):
        return _fate_of(in_child(run, PATIENCE, notes.deadline_of(tests))[0])


def _fate_of(code: int | None) -> Fate:
    """By how a child ended: 0 when every test passed, None for one that was ended for its time. A
    test that failed, a module that no longer loads and a crash are all noticed."""
    return "timeout" if code is None else "killed" if code else "survived"


def _fails(items: Sequence[pytest.Item]) -> bool:
    """Whether one of the tests fails; what comes after it does not run. Without tests none does."""
    for item, following in zip_longest(items, items[1:]):
        item.session.testsfailed = 0
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if item.session.testsfailed:
            return True
    return False


def _functions(files: Sequence[str]) -> list[FunctionType]:
    """All functions and methods of these files that are not inside of another."""
    return [
        thing
        for thing in gc.get_objects()
        if isinstance(thing, FunctionType)
        and thing.__code__.co_filename in files
        and "<locals>" not in thing.__code__.co_qualname
    ]


def _outermost(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _outermost(constant)


def _same_place(code: CodeType, others: Sequence[CodeType]) -> CodeType:
    place = code.co_qualname, code.co_firstlineno
    new = next(other for other in others if (other.co_qualname, other.co_firstlineno) == place)
    return new.replace(co_filename=code.co_filename)


def log_file() -> Path:
    """Where children write what they print; each begins it anew."""
    return Path(os.environ["TMPDIR"]) / "log"


def log_text() -> str:
    """The end of it."""
    return log_file().read_text(encoding="utf-8", errors="replace")[-3000:]


def in_child(
    run: Callable[[], tuple[int, T]], patience: int, seconds: float | None = None
) -> tuple[int | None, T | None]:
    """The exit code and the value from a forked process; None when it was ended for its time: for
    `patience` seconds of the processor, or `seconds` by the clock (None: 40 times as many)."""
    child = os.fork()
    if child == 0:
        _become(run, patience)
    deadline = time.monotonic() + (40 * patience if seconds is None else seconds)
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        time.sleep(0.01)
        if time.monotonic() > deadline:
            break
    _kill_group(child)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    value = log_file().with_name(str(child))
    if not value.exists():
        return (None if code in (-signal.SIGXCPU, -signal.SIGKILL) else code), None
    result: T = pickle.loads(value.read_bytes())
    value.unlink()
    return code, result


def _become(run: Callable[[], tuple[int, T]], patience: int) -> None:
    """Never return: run, and end as the child that this is."""
    code = 3
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (patience, resource.RLIM_INFINITY))
        with log_file().open("ab") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        _set_profile()
        code, value = run()
        if value is not None:
            log_file().with_name(str(os.getpid())).write_bytes(pickle.dumps(value))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def _set_profile() -> None:
    """Always the same examples; one that fails needs no smaller one."""
    settings.register_profile(
        "mutants",
        max_examples=50,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=[*HealthCheck],
        derandomize=True,
        database=None,
        deadline=None,
    )
    settings.load_profile("mutants")


@contextmanager
def file_with(path: Path, text: str) -> Iterator[None]:
    """The file with another text. Python compares whole seconds and sizes to see that a compiled
    file is out of date, so nobody may write one meanwhile."""
    before, stat = path.read_bytes(), path.stat()
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        path.write_text(text, encoding="utf-8")
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        sys.dont_write_bytecode = False
        del os.environ["PYTHONDONTWRITEBYTECODE"]


def _foreign_modules() -> Iterator[str]:
    """What is imported and comes with Python or from a package, in the order it was begun. Not the
    parts in C: `_asyncio` before asyncio leaves asyncio without its current task."""
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None)
        own = file and file.startswith((sys.prefix, sys.base_prefix))
        if own and "." not in name and not name.startswith("_"):
            yield name


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
