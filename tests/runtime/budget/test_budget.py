"""Limits on what model calls use up, kept against a server that counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from flowc.runtime.config.prices import SetPrice, read_dollars
from flowc.runtime.config.settings import Config
from flowc.runtime.errors import RunError
from metered import Meter, Run
from openai_server import Drop, OpenAIServer, Refuse, Say

ONE_AFTER_ANOTHER = """
flow: 1
nodes:
  - {name: one, agent: writer, prompt: Write a line., into: line}
  - {name: two, agent: writer, prompt: "Another after {{ line }}.", into: line}
  - {name: three, agent: writer, prompt: "Another after {{ line }}.", into: line}
outputs: [line]
"""
SIDE_BY_SIDE = f"""
flow: 1
nodes:
  - name: fan
    assign: {{n: 1}}
    next: [{", ".join(f"b{n}" for n in range(10))}]
{
    "".join(
        f'''
  - {{name: b{n}, agent: writer, prompt: Line {n}., into: l{n}, next: done}}
'''
        for n in range(10)
    )
}
  - {{name: done, join: all, assign: {{line: '"done"'}}}}
outputs: [line]
"""
ELEMENTS = """
flow: 1
nodes:
  - {name: each, foreach: "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", do: inner, item: n,
     concurrency: 10, into: lines}
outputs: [lines]
workflows:
  inner:
    params: {n: number}
    nodes:
      - {name: write, agent: writer, prompt: "Line {{ n }}.", into: line}
    outputs: [line]
"""
TIMES = 100 if os.environ.get("FLOWC_FUZZ") == "soak" else 3
PRICE = SetPrice(read_dollars("2.5"), read_dollars(10))


@pytest.fixture
def meter(openai_server: OpenAIServer) -> Meter:
    return Meter(openai_server)


@pytest.fixture
def flow(tmp_path: Path, openai_server: OpenAIServer):
    def made(text: str, config: Config | None = None) -> Run:
        file = tmp_path / "work.flow.yaml"
        file.write_text(text)
        return Run(file, openai_server.url, config or Config())

    return made


def test_a_limit_of_tokens_stops_before_the_call_that_might_exceed_it(flow, meter):
    run = flow(ONE_AFTER_ANOTHER)
    outcome = run.start(max_tokens=200)
    assert (outcome.status, outcome.error["limit"]) == ("stopped", "tokens")
    assert len(meter.asked) == 2
    assert meter.used == outcome.usage.input_tokens + outcome.usage.output_tokens <= 200
    stopped = run.kinds("limit_reached")
    assert [event.data["limit"] for event in stopped] == ["tokens"]


def test_it_goes_on_with_a_larger_limit_and_pays_nothing_twice(flow, meter):
    run = flow(ONE_AFTER_ANOTHER)
    assert run.start(max_tokens=200).status == "stopped"
    assert run.resume(max_tokens=200).status == "stopped", "what is spent stays spent"
    done = run.resume(max_tokens=3000)
    assert (done.status, done.result, len(meter.asked)) == ("success", "a line", 3)
    assert meter.used == done.usage.input_tokens + done.usage.output_tokens


@pytest.mark.fuzz
@pytest.mark.parametrize("text", [SIDE_BY_SIDE, ELEMENTS], ids=["branches", "elements"])
@pytest.mark.parametrize("limit", ["tokens", "cost"])
def test_ten_branches_together_never_exceed_a_limit(flow, openai_server, text, limit):
    for number in range(TIMES):
        meter = Meter(openai_server, output=None)
        meter.chance.seed(number)
        run = flow(text, Config(max_output_tokens=400, prices={"openai:gpt-demo": PRICE}))
        run.file.parent.joinpath("runs.db").unlink(missing_ok=True)
        given = {"max_tokens": 1800} if limit == "tokens" else {"max_cost": "0.012"}
        outcome = run.start(**given)
        usage = outcome.usage
        assert meter.used == usage.input_tokens + usage.output_tokens
        assert usage.cost == pytest.approx(
            (usage.input_tokens * 2.5 + usage.output_tokens * 10) / 1e6
        )
        assert (meter.used <= 1800) if limit == "tokens" else (usage.cost <= 0.012)
        assert outcome.status in ("success", "stopped")
        assert len(meter.asked) > 3, "a limit is no reason to leave most of it unused"


def test_branches_wait_for_each_other_instead_of_giving_up(flow, openai_server):
    meter = Meter(openai_server)
    run = flow(SIDE_BY_SIDE)
    outcome = run.start(max_tokens=1500)
    assert outcome.status == "success", "each call alone would fit, all at once would not"
    assert meter.used < 500


def test_an_answer_that_the_limit_cuts_off_is_not_taken(flow, openai_server):
    meter = Meter(openai_server, output=500)
    run = flow(ONE_AFTER_ANOTHER)
    outcome = run.start(max_tokens=300)
    assert (outcome.status, outcome.variables.get("line")) == ("stopped", None)
    assert meter.asked[0] is not None
    assert meter.used == outcome.usage.input_tokens + outcome.usage.output_tokens <= 300


def test_a_provider_that_reports_no_usage_is_charged_the_worst_case(flow, openai_server):
    openai_server.answer = lambda request: Say("a line", usage=None)
    run = flow(ONE_AFTER_ANOTHER, Config(max_output_tokens=100))
    outcome = run.start(max_tokens=500)
    assert (outcome.status, outcome.usage.estimated) == ("stopped", True)
    called = run.kinds("model_called")
    assert [e.data["output_tokens"] for e in called] == [100] * len(called)
    assert 1 <= len(called) < 3


def test_events_tell_what_is_left(flow, meter):
    run = flow(ONE_AFTER_ANOTHER, Config(prices={"openai:gpt-demo": PRICE}))
    assert run.start(max_tokens=2000, max_cost="0.05").status == "success"
    left = [event.data["left"] for event in run.kinds("model_called")]
    assert left[-1]["tokens"] == 2000 - meter.used
    assert left[0]["cost"] > left[-1]["cost"] > 0


INNER = """
flow: 1
nodes:
  - {name: first, agent: writer, prompt: A line., into: line}
  - {name: sub, call: inner, returns: {line: line}%s}
  - {name: last, agent: writer, prompt: A last line., into: line, next: end}
  - {name: rescue, assign: {line: '"rescued"'}}
outputs: [line]
workflows:
  inner:
    %s
    nodes:
      - {name: a, agent: writer, prompt: A line., into: line}
      - {name: b, agent: writer, prompt: B line., into: line}
      - {name: c, agent: writer, prompt: C line., into: line}
    outputs: [line]
"""


@pytest.mark.parametrize(
    ("own", "inner", "asked", "said"),
    [
        ("", "limits: {tokens: 150}", 2, "the limit of `inner`"),
        (", limits: {tokens: 150}", "", 2, "the limit of `sub`"),
        ("", "limits: {chars: 13}", 4, "the limit of `inner` of 13 characters"),
        ("", "limits: {steps: 2}", 3, "2 steps are done, which is the limit of the workflow"),
        (", limits: {steps: 3}", "", 3, "3 steps are done, which is the limit of `sub`"),
    ],
)
def test_a_limit_of_a_called_workflow_counts_its_own_calls(flow, meter, own, inner, asked, said):
    caught = f"{own}, on_error: {{to: rescue, errors: limit}}, next: last"
    run = flow(INNER % (caught, inner))
    outcome = run.start()
    assert (outcome.status, outcome.result) == ("success", "rescued")
    assert said in run.kinds("node_failed")[0].data["message"]
    assert len(meter.asked) == asked


def test_a_limit_of_the_program_that_no_edge_takes_fails(flow, meter):
    run = flow(ONE_AFTER_ANOTHER.replace("flow: 1", "flow: 1\nlimits: {tokens: 200}"))
    outcome = run.start()
    assert (outcome.status, outcome.error["kind"]) == ("error", "limit")
    assert len(meter.asked) == 2


@pytest.mark.parametrize(
    "limit", ["tokens: {value: 200, then: stop}", "steps: {value: 1, then: stop}"]
)
def test_a_limit_of_the_program_that_stops_counts_anew_after_a_resume(flow, meter, limit):
    run = flow(ONE_AFTER_ANOTHER.replace("flow: 1", f"flow: 1\nlimits: {{{limit}}}"))
    outcomes = [run.start()]
    while outcomes[-1].status == "stopped" and len(outcomes) < 9:
        outcomes.append(run.resume())
    assert (outcomes[-1].status, outcomes[-1].result, len(meter.asked)) == ("success", "a line", 3)
    assert len(outcomes) > 1


def test_all_visits_of_a_node_count_for_its_limit(flow, meter):
    run = flow("""
flow: 1
nodes:
  - {name: write, agent: writer, prompt: A line., into: line, limits: {chars: 20}}
  - {name: free, agent: writer, prompt: B line., into: line}
  - {name: again, choose: "true", cases: {"true": write}, otherwise: end}
outputs: [line]
""")
    outcome = run.start()
    assert "the limit of `write` of 20 characters" in outcome.error["message"]
    assert len(meter.asked) == 7, "four answers of six characters, three of them taken"


def test_a_limit_that_is_no_amount_is_a_limit_that_is_not_kept(flow, meter):
    run = flow(ONE_AFTER_ANOTHER.replace("flow: 1", "flow: 1\nlimits: {cost: 0 - 1}"),
               Config(prices={"openai:gpt-demo": PRICE}))  # fmt: skip
    outcome = run.start()
    assert (outcome.error["kind"], meter.asked) == ("limit", [])
    assert "is not a number, 0 or more: -1" in outcome.error["message"]


@pytest.mark.parametrize("limits", ["", "limits: {cost: 1}"])
def test_a_limit_on_cost_without_a_price_is_refused_before_anything_runs(flow, meter, limits):
    run = flow(ONE_AFTER_ANOTHER.replace("flow: 1", f"flow: 1\n{limits}"))
    with pytest.raises(RunError, match="no price for `openai:gpt-demo`") as refused:
        run.start(**({} if limits else {"max_cost": "1"}))
    assert '[prices."openai:gpt-demo"]' in refused.value.help
    assert meter.asked == []


def test_an_attempt_whose_answer_was_lost_stays_reserved(flow, openai_server):
    meter, answers = Meter(openai_server), []
    openai_server.answer = lambda request: (
        answers.append(request) or (Drop() if len(answers) == 1 else meter.answer(request))
    )
    run = flow(ONE_AFTER_ANOTHER, Config(max_output_tokens=100))
    outcome = run.start()
    assert (outcome.status, outcome.usage.estimated) == ("success", True)
    assert outcome.usage.output_tokens == 100 + 3 * 20


def test_a_refused_attempt_costs_nothing(flow, openai_server):
    meter, answers = Meter(openai_server), []
    openai_server.answer = lambda request: (
        answers.append(request) or (Refuse(500) if len(answers) == 1 else meter.answer(request))
    )
    outcome = flow(ONE_AFTER_ANOTHER, Config(max_output_tokens=100)).start(max_tokens=1000)
    assert outcome.usage.input_tokens + outcome.usage.output_tokens == meter.used
    assert not outcome.usage.estimated
