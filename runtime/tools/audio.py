"""The audio tools as workflows call them, and the tools that edit sound by a plan."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from flowc.compiler.catalog.builtin_tools import AUDIO_ENTRIES, AUDIO_WORK_ENTRIES
from flowc.compiler.plan import PlanDocument, read_plan, step_paths, text_value
from flowc.compiler.plan.paths import original_input

from ..audio.calls.call import AudioCall, check_call, parse_call
from ..audio.calls.containers import coders_for
from ..audio.calls.execute import FreeCode, execute_step, is_free, run_free
from ..audio.calls.file_lock import Claims
from ..audio.calls.originals import check_parts, check_result, check_step, check_steps
from ..audio.calls.subprocess_call import AudioWorkers, Unwritten
from ..audio.plan.check import SubjectFiles, findings_of, report_of
from ..audio.plan.contradictions import Shape
from ..audio.plan.evidence import evidence_lines, read_search, search_lines
from ..audio.plan.intermediates import calls_for, left_by, maker_of
from ..audio.plan.memory import MeasurementMemory
from ..audio.plan.planning import Order, catalogue, complete_plan
from ..audio.plan.predicates import RESULT, metric_of, read_predicate
from ..audio.plan.review import review, step_requires
from ..audio.vocabulary.clauses import read_request
from ..audio.vocabulary.requests import code_of, plan_of, required_by, tools_of
from ..audio.vocabulary.words.patterns import sounds_in
from ..audio.vocabulary.words.unspoken import unspoken_tools
from ..errors import Failure
from ..files.roots import Roots
from ..services import Json
from .source import CatalogTools


@dataclass(frozen=True)
class AudioTools(CatalogTools):
    """Tools below `roots`; the calls of a sound are done by a process of its own. `free` runs
    code that is not a call, where a step allows it. With `rules` the offline rules plan. The files
    that the run is going to write are claimed until it ends."""

    roots: Roots
    workers: AudioWorkers = field(default_factory=AudioWorkers)
    free: FreeCode | None = None
    rules: bool = False
    memory: MeasurementMemory = field(default_factory=MeasurementMemory)
    claims: Claims = field(default_factory=Claims)
    name: str = "audio"
    entries = (*AUDIO_ENTRIES, *AUDIO_WORK_ENTRIES)

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Return what the entry says. Raise `Failure`."""
        match tool:
            case "audio_catalogue":
                return catalogue()
            case "audio_places":
                output, document = args.get("output"), args.get("document")
                return await asyncio.to_thread(self._places, args["input"], output, document)
            case "audio_readable":
                return await self._readable(args)
            case "audio_let_go":
                return self._let_go(args)
            case "audio_plan":
                return complete_plan(args["plan"], _order_of(args))
            case "audio_execute":
                return await self._execute(args)
            case "audio_check":
                return await self._check(args)
            case "audio_review":
                document = read_plan(self.roots.read_text(args["document"]))
                request, since = _request_in(document), int(args.get("since") or 0)
                asked, unspoken = tools_of(request), unspoken_tools(request)
                return await review(document, self._do, since, asked, unspoken)
            case _:
                return await self._do(check_call(tool, args))

    async def _do(self, call: AudioCall, unwritten: Sequence[Unwritten] = ()) -> dict[str, Any]:
        locate = self.roots.locate
        work = partial(self.workers.do_call, locate=locate, stays=True, unwritten=unwritten)
        if call.tool.name == "measure":
            return await self.memory.measure(call, locate, work)
        return await work(call)

    async def _readable(self, args: dict[str, Any]) -> Json:
        """Refuse what nobody could plan, before anything is done for it."""
        if not self.rules:
            return {"said": "a model plans"}
        output, audio = str(args.get("output") or ""), args["audio"]
        reading = asyncio.to_thread(_read_ahead, args["request"])
        measuring = self._do(check_call("measure", {"input": audio, "parts": []}))
        _, header = await asyncio.gather(reading, measuring)
        sound = Shape(header["sample_rate_hz"], header["channels"])
        plan = plan_of(args["request"], audio, output, sound)
        coders_for((output or f"result.{plan['format']}",))
        work = [step["description"] for step in plan["steps"] if not step["person"]]
        if output and work:
            check_parts(parse_call(code_of(work[-1], audio, output, audio)), self.roots.locate)
        return {"said": "the rules can read it"}

    def _let_go(self, args: dict[str, Any]) -> Json:
        document = read_plan(self.roots.read_text(args["document"]))
        path = self._drop(document, args["step"])
        if not path:
            return {"said": "nothing is left behind"}
        return {"said": f"{path} has done its work"}

    def _drop(self, document: PlanDocument, step: str) -> str:
        if path := left_by(document, step):
            self.memory.leave(self.roots.locate(path))
            self.roots.remove(path)
        return path

    def _unwritten(self, document: PlanDocument, path: str) -> list[Unwritten]:
        """Return the calls that make a file on the way while it is read; none where it has to lie
        there."""
        calls = calls_for(document, path, lambda made: bool(self._search_of(document, made)))
        made = [call.writes[0] for call in calls]
        return [
            Unwritten(
                call, self.memory.frames_of(self.roots.locate(one)), self._search_of(document, one)
            )
            for call, one in zip(calls, made, strict=True)
        ]

    def _search_of(self, document: PlanDocument, path: str) -> dict[str, float | None]:
        """Return what the search that led to a file came to, in this run or in one before."""
        if found := self.memory.found_of(self.roots.locate(path)):
            return found
        step = maker_of(document, path)
        return read_search(text_value(step, "Execution Results")) if step else {}

    async def _make_again(self, document: PlanDocument, path: str) -> None:
        """Make a file on the way that is gone, by the calls that made it."""
        step = maker_of(document, path)
        if step is None or self.roots.locate(path).exists():
            return
        read, write = step_paths(document, text_value(step, "ID"))
        if read == write:
            return
        is_kept = not read or self.roots.locate(read).exists()
        unwritten = [] if is_kept else self._unwritten(document, read)
        if not unwritten:
            await self._make_again(document, read)
        code = text_value(step, "Code")
        also = [original for original in (original_input(document),) if original]
        also += _names_in(document, code)
        args = {"code": code, "input": read, "output": write, "also": also, "last": False}
        await self._run(args, is_free(code), unwritten)
        if not is_kept:
            self._drop(document, text_value(step, "ID"))

    def _places(self, sound: str, output: str | None, document: str | None) -> Json:
        locate = self.roots.locate
        if output:
            check_result(sound, output, locate)
            self.claims.hold(locate(output), output)
        if document:
            check_steps(read_plan(self.roots.read_text(document)), document, sound, locate)
        return {"said": f"nothing is written over {sound}"}

    async def _execute(self, args: dict[str, Any]) -> Json:
        if not args.get("document"):
            return await self._run(args, bool(args.get("free")))
        document, id = read_plan(self.roots.read_text(args["document"])), str(args["step"])
        # What the last step reads stays until it is done: with the result, that is all there is.
        stays = args.get("last", True) or args.get("keep") or is_free(args["code"])
        unwritten = [] if stays else self._unwritten(document, args["input"])
        if unwritten:
            self._drop(document, id)
        else:
            await self._make_again(document, args["input"])
        also = [*(args.get("also") or ()), *_names_in(document, args["code"])]
        args = {**args, "also": also, "mine": _parts_in(document)}
        wanted = step_requires(document, id, args["code"])
        effects = [one.metric for one in wanted if metric_of(one.metric)[0].effect]
        did = await self._run(args, bool(args.get("free")), unwritten, effects)
        if not did["ok"]:
            await self._make_again(document, args["input"])  # it is what the plan has made so far
            return did
        files = {id: SubjectFiles(args["input"], args["output"])}
        do = partial(self._do, unwritten=unwritten)
        lines = evidence_lines(await findings_of(wanted, files, do))
        lines += search_lines(self.memory.found_of(self.roots.locate(args["output"])))
        return {**did, "results": "\n".join([did["results"], *lines])}

    async def _run(
        self,
        args: dict[str, Any],
        free: bool,
        unwritten: Sequence[Unwritten] = (),
        wanted: Sequence[str] = (),
    ) -> dict[str, Any]:
        read, write = args["input"], args["output"]
        output = self.roots.locate(write)
        sources = {path: self.roots.locate(path) for path in (read, *(args.get("also") or ()))}
        check_step(write, output, sources)
        await asyncio.to_thread(self.claims.hold, output, write)
        if free and self.free is not None and is_free(args["code"]):
            reads = list(sources.values())
            did = await run_free(args["code"], reads, write, output, self.free)
            return await self._look_at(did, write) if did["ok"] else did
        also, last = args.get("also") or (), bool(args.get("last", True))
        source = str(args.get("source") or "") if last else ""

        async def do(call: AudioCall) -> dict[str, Any]:
            for path in call.writes[1:]:
                check_step(path, self.roots.locate(path), sources)
            return await self.memory.work(call, self.roots.locate, work)

        async def work(call: AudioCall) -> dict[str, Any]:
            locate, working = self.roots.locate, not last
            mine = args.get("mine") or ()
            return await self.workers.do_call(
                call, locate, source, working, True, unwritten, wanted, mine
            )

        given = unwritten[0].call.reads[0] if unwritten else read
        there = given, self.roots.locate(given)
        return await execute_step(args["code"], read, write, also, there, do)

    async def _look_at(self, did: dict[str, Any], write: str) -> dict[str, Any]:
        """Return what a program did; a failure where what it wrote is not a sound made of
        numbers."""
        try:
            found = await self._do(check_call("measure", {"input": write}))
            if not found["not_finite"]:
                return did
            error = f"{found['not_finite']} samples of `{write}` are not finite numbers"
        except Failure as failure:
            error = failure.message
        return {"ok": False, "error": error, "results": "", "said": f"failed: {error}"}

    async def _check(self, args: dict[str, Any]) -> Json:
        checks = [read_predicate({**check, "subject": RESULT}) for check in args["checks"]]
        files = {RESULT: SubjectFiles(args.get("input") or None, args["output"])}
        return report_of(await findings_of(checks, files, self._do))

    async def close(self) -> None:
        """Give up all claims, and the process that stays."""
        self.claims.release()
        await self.workers.close()


def _names_in(document: PlanDocument, code: str) -> list[str]:
    """Return the sounds that a call reads and the request of the document names: whoever asks to
    join or mix files lets them be read."""
    try:
        reads = parse_call(code).reads
    except Failure:
        return []
    named = sounds_in(_request_in(document))
    return [path for path in reads if path in named]


def _parts_in(document: PlanDocument) -> frozenset[str]:
    """Return the files that the results of steps name, further parts among them."""
    results = [text_value(one, "Execution Results") for one in document.blocks]
    return frozenset(name for text in results for name in text.split("`")[1::2])


def _read_ahead(request: str) -> None:
    """Read a request, which is remembered, while a process starts: the rules take as long."""
    with suppress(Failure):
        read_request(request)


def _request_in(document: PlanDocument) -> str:
    section = document.section("request")
    return text_value(section, "Original Request") if section else ""


def _order_of(args: dict[str, Any]) -> Order:
    output, request = str(args.get("output") or ""), str(args.get("request") or "")
    sound = Shape(args.get("sample_rate_hz"), args.get("channels"))
    required = required_by(request, args["audio"], output, sound)
    first, round = int(args.get("first") or 0), int(args.get("round") or 0)
    return Order(args["id"], args["audio"], output, sound, request, required, first, round)
