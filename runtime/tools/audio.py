"""The audio tools as workflows call them, and the tools that edit sound by a plan."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.catalog.builtin_tools import AUDIO_ENTRIES, AUDIO_WORK_ENTRIES
from flowc.compiler.plan import read_plan

from ..audio.calls.call import AudioCall, check_call
from ..audio.calls.execute import FreeCode, execute_step, is_free, run_free
from ..audio.calls.file_lock import Claims
from ..audio.calls.originals import check_result, check_step, check_steps
from ..audio.calls.subprocess_call import AudioWorkers
from ..audio.plan.check import SubjectFiles, findings_of, report_of
from ..audio.plan.contradictions import Shape
from ..audio.plan.planning import Order, catalogue, complete_plan
from ..audio.plan.predicates import RESULT, read_predicate
from ..audio.plan.review import review
from ..audio.vocabulary.requests import required_by
from ..errors import Failure
from ..files.roots import Roots
from ..services import Json
from .source import CatalogTools


@dataclass(frozen=True)
class AudioTools(CatalogTools):
    """Tools below `roots`; each call of an audio tool is done by a process of its own. `free` runs
    code that is not a call, where a step allows it. The files that the run is going to write are
    claimed until it ends."""

    roots: Roots
    workers: AudioWorkers = field(default_factory=AudioWorkers)
    free: FreeCode | None = None
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
            case "audio_plan":
                return complete_plan(args["plan"], _order_of(args))
            case "audio_execute":
                return await self._execute(args)
            case "audio_check":
                return await self._check(args)
            case "audio_review":
                document = read_plan(self.roots.read_text(args["document"]))
                return await review(document, self._do, int(args.get("since") or 0))
            case _:
                return await self._do(check_call(tool, args))

    async def _do(self, call: AudioCall) -> dict[str, Any]:
        return await self.workers.do_call(call, self.roots.locate)

    def _places(self, sound: str, output: str | None, document: str | None) -> Json:
        locate = self.roots.locate
        if output:
            check_result(sound, output, locate)
            self.claims.hold(locate(output), output)
        if document:
            check_steps(read_plan(self.roots.read_text(document)), document, sound, locate)
        return {"said": f"nothing is written over {sound}"}

    async def _execute(self, args: dict[str, Any]) -> Json:
        read, write = args["input"], args["output"]
        place, output = self.roots.locate(read), self.roots.locate(write)
        sources = {path: self.roots.locate(path) for path in (read, *(args.get("also") or ()))}
        check_step(write, output, sources)
        await asyncio.to_thread(self.claims.hold, output, write)
        if args.get("free") and self.free is not None and is_free(args["code"]):
            reads = list(sources.values())
            did = await run_free(args["code"], reads, write, output, self.free)
            return await self._look_at(did, write) if did["ok"] else did
        also, last = args.get("also") or (), bool(args.get("last", True))
        source = str(args.get("source") or "") if last else ""

        async def do(call: AudioCall) -> dict[str, Any]:
            return await self.workers.do_call(call, self.roots.locate, source, working=not last)

        return await execute_step(args["code"], read, write, also, place, do)

    async def _look_at(self, did: dict[str, Any], write: str) -> Json:
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
        """Give up all claims."""
        self.claims.release()


def _order_of(args: dict[str, Any]) -> Order:
    output, request = str(args.get("output") or ""), str(args.get("request") or "")
    sound = Shape(args.get("sample_rate_hz"), args.get("channels"))
    required = required_by(request, args["audio"], output, sound)
    first, round = int(args.get("first") or 0), int(args.get("round") or 0)
    return Order(args["id"], args["audio"], output, sound, request, required, first, round)
