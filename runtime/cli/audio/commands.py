"""`flowc audio`: measure sound files, list the audio tools, call one of them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from flowc.compiler.catalog.audio_model import REQUIRED, AudioTool, schema_of
from flowc.compiler.catalog.audio_tools import AUDIO_TOOLS

from ...audio.calls.call import AudioCall, check_call, find_tool, parse_call, range_of
from ...audio.calls.originals import check_parts
from ...audio.vocabulary.words.rules import NAME as OFFLINE_NAME
from ...audio.vocabulary.words.rules import vocabulary_rows
from ...errors import Failure, RunError
from ...models.offline import LABEL as OFFLINE_LABEL
from ...sandbox.policy import Mode
from .. import flags
from ..app import FINDINGS, OK, complain, plain_app
from ..screen import screen_on
from ..streams import on_terminal, print_result
from .report import report
from .workers import workers_on

Json = dict[str, Any]


def measure(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="sound files")],
    silence: Annotated[
        float, typer.Option("--silence", metavar="DBFS", help="below this, 20 ms are silent")
    ] = -50.0,
    sandbox: flags.Sandbox = None,
    as_json: flags.AsJson = False,
) -> int:
    """Loudness (ITU-R BS.1770-5, EBU Tech 3342), peaks, levels, silence, clipping, spectrum.

    With --json one object: of one file its numbers, of several `files`. What cannot be measured is
    null, and `notes` says why.
    """
    code, rows = OK, []
    for file in files:
        about = {"input": file, "silence_dbfs": silence}
        try:
            answer = _call_tool(partial(check_call, "measure", about), sandbox)
        except RunError as error:
            complain(error.message, error.help)
            code = max(code, error.exit_code)
            continue
        rows.append(answer)
        if not as_json:
            print(*_measurement_lines(answer), sep="\n", end="\n\n" if file != files[-1] else "\n")
    if as_json and len(files) > 1:
        print_result({"files": rows})
    elif as_json and rows:
        print_result(rows[0])
    return code


def list_tools(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="one tool")] = None,
    as_json: flags.AsJson = False,
) -> int:
    """Every audio tool, or one with its parameters: unit, range and default."""
    chosen = (find_tool(name),) if name else AUDIO_TOOLS
    if as_json:
        rows = [_tool_row(tool) for tool in chosen]
        print_result({"tools": rows})
        return OK
    screen = screen_on(sys.stdout)
    if name:
        screen.print(*_tool_lines(chosen[0]))
        return OK
    width = max(len(tool.name) for tool in chosen)
    screen.print(*(f"{tool.name.upper():<{width}}  {tool.about}" for tool in chosen))
    return OK


def apply(
    call: Annotated[str, typer.Argument(metavar="CALL", help="one call: TOOL(name=value, …)")],
    sandbox: flags.Sandbox = None,
    as_json: flags.AsJson = False,
) -> int:
    """Call one tool: flowc audio apply 'HIGHPASS(input="a.wav", output="b.wav", cutoff_hz=80)'

    The call is read, not run: every argument is a literal. The output appears when it is complete,
    or not at all; the input is never written.
    """
    answer = _call_tool(lambda: parse_call(call), sandbox)
    if as_json:
        print_result(answer)
    elif "integrated_lufs" in answer and "pcm_sha256" in answer:
        print(*_measurement_lines(answer), sep="\n")
    elif "difference" in answer:
        print(*_comparison_lines(answer), sep="\n")
    else:
        for part in answer.get("outputs", [answer]):
            print(*_output_lines(part), sep="\n")
    return OK


def _call_tool(make: Callable[[], AudioCall], sandbox: Mode | None) -> Json:
    """Return the tool's answer. Raise `RunError`, with exit code 2 for a malformed call."""
    try:
        call = make()
    except Failure as failure:
        raise RunError(failure.message, help=failure.help) from None
    try:
        check_parts(call, Path)
        return asyncio.run(workers_on(sandbox).do_call(call))
    except Failure as failure:
        message = on_terminal(failure.message)
        raise RunError(message, help=failure.help, exit_code=FINDINGS) from None


def _measurement_lines(answer: Json) -> Iterator[str]:
    rate = f"{answer['sample_rate_hz']} Hz"
    kind = f"{answer['format']} {answer['subtype']}"
    channels = f"{answer['channels']} channel{'s' * (answer['channels'] != 1)}"
    yield on_terminal(
        f"{answer['file']} · {answer['duration_s']:.2f} s · {rate} · {channels} · {kind}"
    )
    below = {band["hz"]: band for band in answer["energy_below"]}
    for name, value in (
        ("integrated loudness", _unit(answer["integrated_lufs"], "LUFS")),
        ("loudest 3 s", _unit(answer["short_term_max_lufs"], "LUFS")),
        ("loudest 0.4 s", _unit(answer["momentary_max_lufs"], "LUFS")),
        ("loudness range", _unit(answer["range_lu"], "LU")),
        ("true peak", _unit(answer["true_peak_dbtp"], "dBTP")),
        ("sample peak", _unit(answer["sample_peak_dbfs"], "dBFS")),
        ("RMS", _unit(answer["rms_dbfs"], "dBFS")),
        ("noise floor (estimate)", _unit(answer["noise_floor_dbfs"], "dBFS")),
        ("DC offset", ", ".join(f"{value:+.5f}" for value in answer["dc_offset"])),
        ("silence at the start", f"{answer['leading_silence_s']:.2f} s"),
        ("silence at the end", f"{answer['trailing_silence_s']:.2f} s"),
        ("clipped places", str(answer["clipped_runs"])),
        ("strongest frequency", _unit(answer["strongest_hz"], "Hz")),
        *((f"energy below {hz} Hz", _band(below[hz])) for hz in (40, 80, 160, 5000) if hz in below),
    ):
        yield f"  {name:<24} {value}"
    yield from (f"  note: {note}" for note in answer["notes"])


def _unit(value: float | None, unit: str) -> str:
    return "-" if value is None else f"{value:.2f} {unit}"


def _band(band: Json) -> str:
    return f"{band['share']:.2%}, {_unit(band['dbfs'], 'dBFS')}"


def _comparison_lines(answer: Json) -> Iterator[str]:
    a, b = answer["a"], answer["b"]
    yield on_terminal(f"{a['file']} → {b['file']}")
    for name, change in answer["difference"].items():
        if isinstance(change, float | int) and name not in a:
            yield f"  {name:<24} {'':>21}  {change:+.2f}"
        elif isinstance(change, float | int):
            before, after = f"{a[name]:.2f}", f"{b[name]:.2f}"
            yield f"  {name:<24} {before:>10} {after:>10}  {change:+.2f}"
    yield from (
        f"  {'energy below ' + str(band['hz']) + ' Hz':<24} {'':>21}  {band['db']:+.2f} dB"
        for band in answer["difference"]["energy_below"]
    )
    if answer["same_samples"]:
        yield "  the samples are the same"


def _output_lines(part: Json) -> Iterator[str]:
    kind = f"{part['format']} {part['subtype']}"
    channels = f"{part['channels']} channel{'s' * (part['channels'] != 1)}"
    parts = [f"{part['duration_s']:.2f} s", f"{part['sample_rate_hz']} Hz", channels, kind]
    parts.append(f"peak {_unit(part['sample_peak_dbfs'], 'dBFS')}")
    yield on_terminal(" · ".join([part["output"], *parts]))
    for name in ("integrated_lufs", "true_peak_dbtp", "gain_db", "cut_start_s", "cut_end_s"):
        if part.get(name) is not None:
            yield f"  {name:<24} {part[name]:.2f}"
    yield from (f"  note: {note}" for note in part["notes"])


def _tool_row(tool: AudioTool) -> Json:
    return {
        "name": tool.name,
        "description": tool.about,
        "effect": tool.effect,
        "streams": tool.streams,
        "most_minutes": tool.most_minutes,
        "most_channels": tool.most_channels,
        "parameters": schema_of(tool.parameters),
    }


def _tool_lines(tool: AudioTool) -> Iterator[str]:
    arguments = (
        f"{p.name}={'…' if p.default is REQUIRED else repr(p.default)}" for p in tool.parameters
    )
    yield f"{tool.name.upper()}({', '.join(arguments)})"
    yield f"  {tool.about}"
    width = max(len(p.name) for p in tool.parameters)
    for parameter in tool.parameters:
        default = "required" if parameter.default is REQUIRED else f"default {parameter.default!r}"
        about = f"{range_of(parameter)}; {default}: {parameter.about}"
        yield f"  {parameter.name:<{width}}  {about}"
    how = "streams" if tool.streams else "takes the file into memory at once"
    yield f"  {how}; at most {tool.most_minutes} minutes and {tool.most_channels} channels"


def synth(
    kind: Annotated[Literal["speech", "music"], typer.Argument(help="what it is like")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="the file")],
    seconds: Annotated[float, typer.Option("--seconds", help="its length")] = 10.0,
    sandbox: flags.Sandbox = None,
    as_json: flags.AsJson = False,
) -> int:
    """Make a test signal: something like speech or music over a hum of 30 Hz, always the same."""
    arguments = {"output": output, "kind": kind, "duration_s": seconds}
    answer = _call_tool(lambda: check_call("synth", arguments), sandbox)
    if as_json:
        print_result(answer)
    else:
        print(*_output_lines(answer), sep="\n")
    return OK


def vocabulary(as_json: flags.AsJson = False) -> int:
    """What the model `offline` understands: rules, not a language model.

    A clause of a request is one of these phrases, or it is refused. (a|b) is one of several, [a]
    may be left out, {hz} is a number with its unit. A setting may stand in the clause or behind it,
    its value behind its name or before it.
    """
    rows = [*vocabulary_rows()]
    if as_json:
        print_result({"rules": OFFLINE_NAME, "vocabulary": rows})
        return OK
    screen = screen_on(sys.stdout)
    screen.print(f"{OFFLINE_NAME}: {OFFLINE_LABEL}")
    for row in rows:
        tool = f"{row['tool'].upper()}" if row["tool"] else "-"
        default = f" · default: {row['default']}" if row["default"] else ""
        screen.print("", f"{row['name']} · {tool} · e.g. {row['example']}{default}")
        screen.print(*(f"  {text}" for text in row["patterns"]))
        for parameter, names in row["settings"].items():
            screen.print(f"  setting {parameter}: {', '.join(names)}")
    return OK


audio = plain_app(help="Measure sound files, call audio tools, make test signals and reports.")
audio.command("measure")(measure)
audio.command("tools")(list_tools)
audio.command("apply")(apply)
audio.command("synth")(synth)
audio.command("vocabulary")(vocabulary)
audio.command("report")(report)
