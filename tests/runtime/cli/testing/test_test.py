"""`flowc test`: cases in flow YAML and beside other formats, their faults, coverage, reports."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest
from flowc.runtime.cli.app import run
from own_folders import write_record

FLOW = """\
flow: 1
params: {N: {type: integer, default: 2}}
nodes:
  - name: big
    choose: N > 3
    cases: {true: more}
    otherwise: less
  - name: more
    assign: {R: {text: big}}
    next: end
  - name: less
    assign: {R: {text: small}}
    next: end
outputs: [R]
tests:
  five:
    inputs: {N: 5}
    result: big
    path: [big, more]
    complete: true
    holds: [N == 5, result == 'big', status == 'success']
"""
CHART = """# T
# Workflow
```mermaid
flowchart TD
    START --> PROMPT_A[User A] --> CHECK_A{RESULT == yes} -->|YES| CALL_B[b.wf.md] --> SUCCESS
    CHECK_A -->|NO| FAILED
```
# Prompts
## User A
Well?
"""
CALLED = "# B\n# Workflow\n```mermaid\nflowchart TD\nSTART --> ASSIGN_B['done'] --> SUCCESS\n```\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_record(tmp_path / "none")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    (tmp_path / "a.flow.yaml").write_text(FLOW)
    (tmp_path / "c.wf.md").write_text(CHART)
    (tmp_path / "b.wf.md").write_text(CALLED)
    return tmp_path


def case(**keys: object) -> str:
    return json.dumps({"tests": {"one": keys}})


def test_a_case_passes_and_what_it_missed_is_listed(capsys) -> None:
    assert run(["test", "a.flow.yaml"]) == 0
    out = capsys.readouterr().out
    assert "covered: 2 of 3 nodes, 1 of 2 ways" in out
    assert "a.flow.yaml:7:16: `big` never goes on to `less` in every other case" in out
    assert "a.flow.yaml:11:11: `less` is never visited" in out
    assert "1 case: all passed" in out


def test_cases_beside_a_flowchart_with_its_called_workflow(folder: Path, capsys) -> None:
    way = ["PROMPT_A", "CALL_B", "CALL_B/ASSIGN_B"]
    both = {
        "yes": {"answers": {"PROMPT_A": "yes"}, "result": "done", "path": way},
        "no": {"answers": {"PROMPT_A": "no"}, "status": "failed", "avoids": ["CALL_B"]},
    }
    (folder / "c.flowtest.yaml").write_text(json.dumps({"tests": both}))
    assert run(["test", "c.wf.md", "--json"]) == 0
    (suite,) = json.loads(capsys.readouterr().out)["suites"]
    assert [one["passed"] for one in suite["cases"]] == [True, True]
    assert suite["coverage"]["ways"] == {"covered": 2, "all": 2}
    assert suite["coverage"]["gaps"] == []


WRONG = {
    "status": ({"status": "failed"}, "success"),
    "result": ({"result": "large"}, '"small"'),
    "variable R": ({"variables": {"R": 3}}, '"small"'),
    "variable Q": ({"variables": {"Q": 3}}, "there is no such variable"),
    "path": ({"path": ["less", "big"]}, "big → less → end"),
    "avoids": ({"avoids": ["less"]}, "big → less → end"),
    "holds": ({"holds": ["N > 100"]}, "false"),
    "error": ({"error": "boom"}, "none"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_not_as_expected_is_shown(what: str, folder: Path, capsys) -> None:
    keys, actual = WRONG[what]
    (folder / "a.flowtest.yaml").write_text(case(**keys))
    assert run(["test", "a.flowtest.yaml", "--json", "--junit", "report.xml"]) == 1
    (suite,) = json.loads(capsys.readouterr().out)["suites"]
    (mismatch,) = suite["cases"][0]["mismatches"]
    assert (mismatch["what"], mismatch["actual"]) == (what, actual)
    root = xml.parse(folder / "report.xml").getroot()
    failure = root.find("./testsuite/testcase/failure")
    assert root.get("failures") == "1"
    assert failure is not None
    assert what in str(failure.get("message"))


def test_a_report_that_cannot_be_written_is_refused_before_any_case_runs(
    folder: Path, capsys
) -> None:
    (folder / "a.flowtest.yaml").write_text(case())
    for out, says in ((".", "`.` is a folder"), ("no/report.xml", "its folder does not exist")):
        assert run(["test", "a.flowtest.yaml", "--junit", out]) == 2
        told = capsys.readouterr()
        assert (told.out, says in told.err) == ("", True)


def test_a_path_that_is_complete_names_every_node(folder: Path) -> None:
    (folder / "a.flowtest.yaml").write_text(case(path=["less"], complete=True))
    assert run(["test", "a.flowtest.yaml"]) == 1


def test_a_case_that_cannot_be_run_says_why(folder: Path, capsys) -> None:
    for keys, said in (
        ({"inputs": {"M": 1}}, "no parameter `M`"),
        ({"inputs": {"N": "x"}}, "`N` must be a whole number"),
        ({"answers": "nowhere"}, "there is no file of answers `nowhere`"),
        ({"replay": "no.yaml"}, "cannot be read: no such file"),
        ({"team": "no.json"}, "no.json"),
        ({"answers": "x", "replay": "y"}, "answers"),
    ):
        (folder / "a.flowtest.yaml").write_text(case(**keys))
        assert run(["test", "a.flowtest.yaml"]) == 1, keys
        assert said in capsys.readouterr().out, keys


FAULTS = {
    "": "FC1008",
    "- 1": "FC1001",
    "tests: 3": "FC1005",
    "tests: {one: {results: 3}}": "FC100",
    "tests: {one: {inputs: [1]}}": "FC1005",
    "tests: {one: {status: fine}}": "FC1005",
    "tests: {one: {holds: ['a +']}}": "FC",
    "workflow: no.wf.md\ntests: {one: {}}": "FC2001",
    "tests: [": "FC1001",
    "{}": "FC1008",
}


@pytest.mark.parametrize("text", FAULTS)
def test_faults_of_a_file_of_cases_have_their_place(text: str, folder: Path, capsys) -> None:
    (folder / "a.flowtest.yaml").write_text(text)
    assert run(["test", "a.flowtest.yaml"]) == 1
    shown = "".join(capsys.readouterr())
    assert FAULTS[text] in shown
    assert "--> a.flowtest.yaml" in shown


def test_a_folder_has_all_of_them_and_an_empty_one_none(folder: Path, capsys) -> None:
    (folder / "c.flowtest.yaml").write_text(case(answers={"PROMPT_A": "yes"}))
    (folder / "empty").mkdir()
    assert run(["test", ".", "--jobs", "2"]) == 0
    assert "2 cases: all passed" in capsys.readouterr().out
    assert run(["test", "empty"]) == 2
    assert run(["test", "nothing.wf.md"]) == 2
    assert run(["test", ".", "-k", "five"]) == 0
    assert "1 case: all passed" in capsys.readouterr().out


def test_a_recording_answers_a_case(folder: Path, capsys) -> None:
    (folder / "answers.yaml").write_text("PROMPT_A: yes")
    told = ["--answers", "answers.yaml", "--record", "c.cassette.yaml", "--store", "memory:"]
    assert run(["run", "c.wf.md", *told]) == 0
    (folder / "c.flowtest.yaml").write_text(case(replay="c.cassette.yaml", result="done"))
    assert run(["test", "c.wf.md"]) == 0
    (folder / "c.wf.md").write_text(CHART.replace("Well?", "Really?"))
    capsys.readouterr()
    assert run(["test", "c.wf.md"]) == 1
    out = capsys.readouterr().out
    assert "-Well?" in out
    assert "+Really?" in out


def test_what_ships_passes_its_own_cases(monkeypatch, capsys) -> None:
    root = Path(__file__).parents[4]
    monkeypatch.chdir(root)
    assert run(["test", "workflows/examples", "-q"]) == 0, capsys.readouterr().out
    kinds = {file.parent.name for file in (root / "workflows/examples").rglob("*.flowtest.yaml")}
    assert kinds >= {"contract", "flowchart", "machine", "steps"}


RULES = """\
flow: 1
model: offline
agents: {planner: {system: Plan.}}
nodes:
  - name: plan
    agent: planner
    prompt: '{"request": "mono, export flac", "audio": "a.wav"}'
    schema: {type: object, required: [steps, format]}
    into: planned
outputs: [planned]
tests:
  the rules answer:
    holds: [planned.format == 'flac']
  unless a case answers:
    answers: {plan: '{"steps": [], "format": "mp3"}'}
    holds: [planned.format == 'mp3']
"""


def test_rules_that_a_workflow_declares_answer_its_cases(folder, capsys):
    (folder / "rules.flow.yaml").write_text(RULES)
    assert run(["test", "rules.flow.yaml"]) == 0, capsys.readouterr().out
    # A model of the configuration does not.
    (folder / "rules.flow.yaml").write_text(RULES.replace("model: offline\n", ""))
    (folder / "flowc.toml").write_text('model = "offline"\n')
    assert run(["test", "rules.flow.yaml"]) == 1
    assert "no scripted answer" in capsys.readouterr().out


READS = """\
flow: 1
outputs: [SAID]
nodes:
  - {name: say, agent: a, prompt: Say it., into: SAID}
tests: {one: {KEY: WHERE}, other: {answers: {say: hello}, result: hello}}
"""


@pytest.mark.parametrize("key", ["answers", "replay", "team"])
@pytest.mark.parametrize("where", ["../outside.yaml", "link.yaml"])
def test_a_case_reads_nothing_outside_of_its_workflow_s_folder(
    tmp_path, monkeypatch, capsys, key, where
):
    (tmp_path / "outside.yaml").write_text("say: a secret\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.yaml").symlink_to("../outside.yaml")
    monkeypatch.chdir(inside)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (inside / "a.flow.yaml").write_text(READS.replace("KEY", key).replace("WHERE", where))
    assert run(["test", "a.flow.yaml"]) == 1
    out, err = capsys.readouterr()
    assert f"a case reads `{where}`, which lies outside of its workflow's folder" in out
    assert "1 failed" in out
    assert "a secret" not in out + err
    assert run(["trust", "--mine"]) == 0
    run(["test", "a.flow.yaml"])
    assert "lies outside" not in capsys.readouterr().out


def test_cases_beside_a_workflow_are_none_of_another_folder(tmp_path, monkeypatch, capsys):
    (tmp_path / "outside").write_text("a secret: [\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "a.flowtest.yaml").symlink_to("../outside")
    monkeypatch.chdir(inside)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (inside / "a.flow.yaml").write_text(READS.partition("tests:")[0])
    assert run(["test", "a.flow.yaml"]) == 2
    out, err = capsys.readouterr()
    assert "`a.flowtest.yaml`, which lies outside" in err
    assert "a secret" not in out + err


@pytest.fixture
def unknown(tmp_path, monkeypatch) -> Path:
    """A folder that nobody said is theirs, beside one that its user did."""
    for name in ("unknown", "own"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    assert run(["trust", "--mine", str(tmp_path / "own")]) == 0
    monkeypatch.chdir(tmp_path / "unknown")
    return tmp_path / "unknown"


COMMAND = """\
flow: 1
outputs: [S]
state: {S: text}
nodes: [{name: go, exec: echo it ran, into: S}]
"""
ELSEWHERE = "workflow: WHERE\ntests: {one: {answers: {approve: yes}, result: it ran}}\n"


@pytest.mark.parametrize("answers", ["{approve: yes}", "{go: {approve: [yes]}}", "beside.yaml"])
def test_a_case_of_a_stranger_says_yes_for_nobody(unknown, capsys, answers):
    (unknown / "beside.yaml").write_text("approve: yes\n")
    tests = f"tests: {{one: {{answers: {answers}, result: it ran}}}}\n"
    (unknown / "t.flow.yaml").write_text(COMMAND + tests)
    assert run(["test", "t.flow.yaml"]) == 1
    out = capsys.readouterr().out
    assert "says yes to commands" in out
    assert "0 of 1 nodes" in out
    assert run(["test", "t.flow.yaml", "--allow-exec"]) == 0
    assert run(["trust", "--mine"]) == 0
    assert run(["test", "t.flow.yaml"]) == 0


@pytest.mark.parametrize("where", ["../own/deploy.flow.yaml", "../own/none", "link.flow.yaml"])
def test_cases_are_for_a_workflow_beside_them(unknown, capsys, where):
    """The user's own workflow is not run with inputs and a yes of somebody else's, and nothing says
    what is there."""
    (unknown.parent / "own/deploy.flow.yaml").write_text(COMMAND)
    (unknown / "link.flow.yaml").symlink_to("../own/deploy.flow.yaml")
    (unknown / "t.flowtest.yaml").write_text(ELSEWHERE.replace("WHERE", where))
    for target in ("t.flowtest.yaml", "."):
        assert run(["test", target]) == 2
        out, err = capsys.readouterr()
        assert f"cases for `{where}`, which is elsewhere" in err
        assert out == ""
    assert run(["trust", "--mine", ".."]) == 0
    assert run(["test", "t.flowtest.yaml"]) == (1 if "none" in where else 0)


def test_a_file_of_cases_is_no_link_out_of_its_folder(unknown, capsys):
    (unknown.parent / "secret").write_text("a secret\n")
    (unknown / "t.flowtest.yaml").symlink_to("../secret")
    for target in ("t.flowtest.yaml", "."):
        assert run(["test", target]) == 2
        out, err = capsys.readouterr()
        assert "leads out of its folder" in err
        assert "a secret" not in out + err
