"""The audio system with a language model: right and wrong answers of a local server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
import sounds
from openai_server import OpenAIServer, Recorded, Say

PLAN: dict[str, Any] = {
    "goal": "A quieter file without rumble",
    "requirements": [
        {
            "text": "Rumble is gone",
            "metric": "energy_below_change_db(40)",
            "op": "<=",
            "value": -12,
            "subject": "step_1",
        },
    ],
    "constraints": [],
    "steps": [{"title": "High-pass", "description": "High-pass at 80 Hz, 24 dB per octave"}],
    "format": "wav",
}
Answer = Callable[[str, int], Say]


def answer(**given: Any) -> Say:
    return Say(calls=[("give_answer", given)])


def call(tool: str, text: str, rest: str) -> str:
    """A call with the step's own paths, as they stand in what the agent was asked."""
    step = text.partition("\n")[0].removeprefix("Step: ")
    own = text.partition(f"**ID:** `{step}`")[2] or text
    read, write = (
        re.findall(rf"{name} Audio:\**\s+`?([^`\n]+)", own)[0] for name in ("Input", "Output")
    )
    return f'{tool}(input="{read}", output="{write}", {rest})'


class Agents:
    """Answers by who is asked: each a list of answers in order, the last one again and again."""

    def __init__(self, server: OpenAIServer, **answers: list[Any]) -> None:
        self.answers = answers
        self.asked: dict[str, list[str]] = {"plan": [], "code": [], "fix": []}
        server.answer = self.reply

    def reply(self, request: Recorded) -> Say:
        messages = request.body["messages"]
        begins = {"You plan": "plan", "You write": "code", "A call of": "fix"}
        who = next(w for start, w in begins.items() if messages[0]["content"].startswith(start))
        text = messages[-1]["content"]
        self.asked[who].append(text)
        given = self.answers[who]
        chosen = given[min(len(self.asked[who]), len(given)) - 1]
        return chosen(text) if callable(chosen) else chosen


@pytest.fixture
def edit(flowc: Any, openai_server: OpenAIServer) -> Any:
    sounds.write(flowc.folder / "in.wav", sounds.speech_like(2), 44_100)

    def run(*more: str) -> dict[str, Any]:
        done = flowc(
            *("run", "edit", "-i", "audio=in.wav", "-i", "request=take the low grumble away"),
            *("--model", "openai:demo", "--base-url", openai_server.url, "--json", *more),
        )
        assert done.stdout, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return {**told, "code": done.returncode}

    return run


def document(flowc: Any) -> str:
    (path,) = flowc.folder.glob("workflow_*.md")
    text: str = Path(path).read_text(encoding="utf-8")
    return text


def highpass(text: str) -> Say:
    return answer(code=call("HIGHPASS", text, "cutoff_hz=80, slope=24"))


def test_agents_plan_write_repair_and_are_measured(flowc, edit, openai_server):
    agents = Agents(
        openai_server,
        plan=[
            Say("I would rather talk about it."),
            answer(**{**PLAN, "requirements": [{"text": "x", "metric": "warmth", "value": 1}]}),
            answer(**PLAN),
        ],
        code=[lambda text: answer(code=call("MAGIC", text, "power=9"))],
        fix=[
            lambda text: answer(code=call("HIGHPASS", text, "cutoff_hz=80") + "; import os"),
            lambda text: answer(code=call("HIGHPASS", text, "cutoff_hz=8")),
            highpass,
        ],
    )
    told = edit()
    assert told["status"] == "success", told["error"]
    assert told["answered_by"]["is_model"] is True
    assert {c["verdict"] for c in told["variables"]["checks"]} == {"passed", "proves nothing"}
    assert "there is no metric `warmth`" in agents.asked["plan"][2]
    assert len(agents.asked["code"]) == 1
    text = document(flowc)
    assert "there is no audio tool `MAGIC`" in text
    assert "several statements" in text
    assert "`cutoff_hz` of HIGHPASS cannot be 8" in text
    assert [f"Attempt {n} failed" in text for n in (1, 2, 3, 4)] == [True, True, True, False]
    assert text.count("Re-executing step_1...") == 3
    assert text.count("Error Analyzer proposed fix for step_1 code.") == 3
    assert "Overall Status:** SUCCESS" in text


def test_a_step_is_tried_four_times_and_no_more(flowc, edit, openai_server):
    bad = iter(range(500, 600))
    agents = Agents(
        openai_server,
        plan=[answer(**PLAN)],
        code=[lambda text: answer(code=call("GAIN", text, "gain_db=400"))],
        fix=[lambda text: answer(code=call("GAIN", text, f"gain_db={next(bad)}"))],
    )
    told = edit("-i", "rounds=0")
    assert (told["status"], told["code"]) == ("failed", 1)
    assert told["variables"]["status"] == "FAILURE"
    assert len(agents.asked["fix"]) == 3
    text = document(flowc)
    assert "Attempt 4 failed" in text
    assert "Attempt 5 failed" not in text
    assert "Overall Status:** FAILURE" in text
    assert "Not done: step_1 (`gain_db` of GAIN cannot be 502)." in text


def test_code_is_never_run_and_keeps_to_the_files_of_its_step(flowc, edit, openai_server):
    Agents(
        openai_server,
        plan=[answer(**PLAN)],
        code=[answer(code="__import__('os').system('touch pwned')")],
        fix=[
            lambda text: answer(
                code=call("HIGHPASS", text, "cutoff_hz=80").replace("in.wav", "/etc/passwd", 1)
            ),
            lambda text: answer(code=re.sub(r'output="[^"]+"', 'output="in.wav"',
                                            call("HIGHPASS", text, "cutoff_hz=80"))),
            highpass,
        ],
    )  # fmt: skip
    before = (flowc.folder / "in.wav").read_bytes()
    told = edit()
    assert told["status"] == "success", told["error"]
    assert not (flowc.folder / "pwned").exists()
    assert (flowc.folder / "in.wav").read_bytes() == before
    text = document(flowc)
    assert "HIGHPASS reads `/etc/passwd`, but the step may read `in.wav`" in text
    assert "HIGHPASS writes `in.wav`, but the step has to write" in text


def test_a_silent_result_is_no_success(flowc, edit, openai_server):
    Agents(
        openai_server,
        plan=[answer(**{**PLAN, "requirements": []})],
        code=[lambda text: answer(code=call("GAIN", text, "gain_db=-100"))],
        fix=[],
    )
    told = edit()
    assert told["variables"]["status"] == "FAILURE"
    assert "failed · Something is to be heard" in document(flowc)


def test_what_nobody_can_measure_waits_for_a_person(flowc, edit, openai_server):
    Agents(
        openai_server,
        plan=[answer(**{**PLAN, "requirements": [{"text": "It sounds warm"}]})],
        code=[highpass],
        fix=[],
    )
    told = edit()
    assert (told["status"], told["code"]) == ("paused", 4)
    text = document(flowc)
    assert "Overall Status:** REQUIRES_REVIEW" in text
    assert "not measured · It sounds warm" in text
    done = flowc("resume", told["run"], "--answer", "accept")
    assert done.returncode == 0, done.stderr
    assert "Overall Status:** SUCCESS" in document(flowc)
    assert "A person accepted the result." in document(flowc)


LISTEN = {"title": "Listen", "description": "Listen to it", "person": True}
BY_HAND = {"title": "Clean", "description": "Take the clicks out by hand"}


def test_a_step_without_sound_is_a_persons(flowc, edit, openai_server):
    steps = [PLAN["steps"][0], LISTEN]
    Agents(openai_server, plan=[answer(**{**PLAN, "steps": steps})], code=[highpass], fix=[])
    told = edit()
    assert told["code"] == 4
    assert "step_2 is yours: Listen" in told["questions"][0]["text"]
    done = flowc("resume", told["run"], "--answer", "failed: it hisses")
    assert done.returncode == 1
    text = document(flowc)
    assert "failed: it hisses" in text
    assert "Overall Status:** FAILURE" in text


def test_n_a_is_no_code_of_a_step_that_makes_sound(flowc, edit, openai_server):
    agents = Agents(openai_server, plan=[answer(**PLAN)], code=[answer(code="# N/A")], fix=[])
    told = edit()
    assert (told["status"], told["code"]) == ("failed", 1)
    assert "N/A is for a step that makes no sound, and step_1 has to write" in document(flowc)
    assert told["variables"]["final"] == ""
    assert told["variables"]["report"].startswith("FAILURE: there is no result")
    assert agents.asked["fix"] == []


@pytest.mark.parametrize("made", [None, "silence", "numbers"])
def test_a_person_who_does_a_step_by_hand_has_to_leave_its_file(made, flowc, edit, openai_server):
    Agents(openai_server, plan=[answer(**PLAN)], code=[highpass], fix=[])
    told = edit("--break", "start", "-i", "rounds=0")
    (path,) = flowc.folder.glob("workflow_*.md")
    text = path.read_text(encoding="utf-8")
    output = re.findall(r"Output Audio:\** `([^`]+)`", text)[0]
    path.write_text(text.replace("# no code yet", "N/A"), encoding="utf-8")
    told = json.loads(flowc("resume", told["run"], "--json").stdout)
    assert f"The file that the step writes, if it has one: {output}" in told["questions"][0]["text"]
    if made is not None:
        frames = sounds.speech_like(2) if made == "numbers" else sounds.silence(2)
        if made == "silence":
            frames[100] = float("nan")
        sounds.write(flowc.folder / output, frames, 44_100)
    told = json.loads(flowc("resume", told["run"], "--answer", "fine", "--json").stdout)
    text = path.read_text(encoding="utf-8")
    gone = f"There is no sound that can be read at {output}, which step_1 has to write."
    assert (gone in text) is (made != "numbers")
    assert told["variables"]["status"] != "SUCCESS"


def test_a_program_that_writes_no_numbers_has_failed(flowc, edit, openai_server):
    program = (
        "import soundfile\nimport numpy as np\nsound, rate = soundfile.read(INPUT)\n"
        "soundfile.write(OUTPUT, sound * np.nan, rate, subtype='FLOAT')\n"
    )
    Agents(openai_server, plan=[answer(**PLAN)], code=[answer(code=program)], fix=[highpass])
    edit("-i", "snippets=true")
    assert "are not finite numbers" in document(flowc)


def test_a_plan_that_makes_no_sound_is_no_plan(flowc, edit, openai_server):
    agents = Agents(openai_server, plan=[answer(**{**PLAN, "steps": [LISTEN]})], code=[], fix=[])
    told = edit()
    assert (told["status"], told["code"]) == ("failed", 1)
    assert "no step of the plan makes a sound" in agents.asked["plan"][1]


def test_a_program_runs_in_the_sandbox_only_where_it_is_allowed(flowc, edit, openai_server):
    program = (
        "import soundfile\n"
        "from pedalboard import HighpassFilter\n"
        "sound, rate = soundfile.read(INPUT)\n"
        "for turn in range(4):\n"
        "    sound = HighpassFilter(80)(sound.T, rate).T\n"
        "soundfile.write(OUTPUT, sound, rate)\n"
    )
    spy = "import os\nos.system('touch pwned')\nOUTPUT"
    Agents(openai_server, plan=[answer(**PLAN)], code=[answer(code=spy)],
           fix=[answer(code=program)])  # fmt: skip
    told = edit("-i", "snippets=true")
    text = document(flowc)
    assert told["status"] == "success", text
    assert not (flowc.folder / "pwned").exists()
    assert "rejected" in text
    assert "sandbox: " in text
    assert "free code wrote" in text


def test_a_plan_writes_parts_anew_but_none_over_a_file_that_is_not_its_own(
    flowc, edit, openai_server
):
    """The second plan cuts elsewhere, and leaves other parts under the names of the first."""
    cut = {"title": "Split", "description": "Split at the point of the request"}
    needs = {"text": "Shorter", "metric": "duration_s", "op": "<=", "value": 0.6}
    plan = answer(**{**PLAN, "requirements": [needs], "steps": [cut]})
    points = chain([1], repeat(0.5))

    def split(text: str) -> Say:
        written = call("SPLIT", text, f"points_s=[{next(points)}]")
        return answer(code=written.replace("output=", "output_pattern="))

    Agents(openai_server, plan=[plan], code=[split], fix=[split])
    told = edit("-i", "output=out.wav")
    assert "cannot be the first" not in told["variables"]["report"]
    assert len(sounds.read(flowc.folder / "out-2.wav")[0]) == 4.5 * 44_100
    (flowc.folder / "out-2.wav").write_text("mine")
    told = edit("-i", "output=out.wav")
    assert "`out-2.wav` is there already" in told["error"]["message"]
    assert (flowc.folder / "out-2.wav").read_text() == "mine"
