"""Flowchart workflows: the document, edges and ends, rule by rule (docs/formats/flowchart.md)."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.source.source import SourceSet
from flowcharts import FENCE, compiled, document, faults, node, read, ways, written

# --- the document (M1–M8) ---


def test_m1_title_description_and_sections():
    workflow = read("START --> SUCCESS")
    assert (workflow.name, workflow.title, workflow.description) == (
        "trip",
        "Trip",
        "What it is for.",
    )


def test_m1_prompts_before_the_chart_do_not_describe_the_workflow():
    text = document("START --> PROMPT_A[User A]")
    prompts = "# Prompts\n\n## User A\nHello.\n\n"
    workflow = compile_text(text.replace("# Workflow", prompts + "# Workflow"), "a.wf.md").workflow
    assert workflow is not None
    assert workflow.description == "What it is for."


def test_m2_only_the_first_level_1_heading_is_the_title_and_sections_match_exactly():
    text = document(
        "START --> PROMPT_A[User A]", "## User A\nHello.\n\n# Notes\nKeep.", "Workflows"
    )
    workflow = compile_text(text, "a.wf.md").workflow
    assert workflow is not None
    assert workflow.title == "Workflows"


def test_m2_a_misspelt_section_is_found_and_read_as_meant():
    text = document("START --> PROMPT_A[User A]", "## User A\nHi.").replace("# Prompts", "# Prompt")
    result = compile_text(text, "a.wf.md")
    assert [(d.code, d.help) for d in result.diagnostics] == [
        ("FC1002", "did you mean `# Prompts`?")
    ]


def test_m3_several_blocks_add_up_and_other_diagrams_do_not_count():
    classes = f"{FENCE}mermaid\nclassDiagram\nclass A\n{FENCE}\n"
    second = f"{classes}{FENCE}mermaid\ngraph LR\nSET_A[A=1] --> ASK\n"
    workflow = read(f"START --> SET_A\n{FENCE}\n\n{second}")
    assert [n.id for n in workflow.nodes if n.span] == ["START", "SET_A", "ASK"]


def test_m4_comments_are_skipped():
    workflow = read("%% START --> ASK\nSTART --> SUCCESS %% and done")
    assert [n.id for n in workflow.nodes] == ["START", "SUCCESS"]


def test_m5_m6_prompts_are_level_2_headings_and_other_headings_belong_to_the_prompt_above():
    workflow = read(
        "START --> PROMPT_A[User Task-Desc]",
        "## User Task-Desc\n\nOne.\n\n## Details\n\n```\n## User Other\n```\nTwo.\n",
    )
    assert [p.id for p in workflow.prompts] == ["User Task-Desc"]
    prompt = node(workflow, "PROMPT_A").prompt.value
    assert prompt == "One.\n\n## Details\n\n```\n## User Other\n```\nTwo."


def test_m6_a_repeated_prompt_is_reported_at_both_places():
    result = compiled("START --> PROMPT_A[User A]", "## User A\nOne.\n## User A\nTwo.\n")
    (fault,) = result.diagnostics
    assert (fault.code, written(result, fault.primary)) == ("FC1004", "User A")
    assert fault.labels[0].span.start < fault.primary.start


def test_m6_an_empty_prompt_counts_as_not_written():
    result = compiled("START --> PROMPT_A[User A]", "## User A\n\n## User B\nText.\n")
    assert [(d.code, d.message) for d in result.diagnostics] == [
        ("FC1003", "the prompt `User A` is empty")
    ]


def test_m7_a_file_is_included_in_place_and_reading_goes_on():
    workflow = read(
        "START --> PROMPT_A[User A] --> PROMPT_B[User B]",
        "## User A\nBefore.\n!INCLUDE 'more.txt'\nAfter.\n## User B\nB.",
        more__txt="Line 1.\nLine 2.\n",
    )
    assert node(workflow, "PROMPT_A").prompt.value == "Before.\nLine 1.\nLine 2.\n\nAfter."
    assert node(workflow, "PROMPT_B").prompt.value == "B."


def test_m7_faults_in_an_included_file_are_shown_there():
    result = compiled(
        "START --> PROMPT_A[User A]\n!INCLUDE part.mmd",
        "## User A\nA.",
        part__mmd="ASK -> SUCCESS\n",
    )
    (fault,) = result.diagnostics
    assert (fault.code, fault.primary.file, written(result, fault.primary)) == (
        "FC1001",
        "part.mmd",
        "->",
    )


@pytest.mark.parametrize(
    ("path", "code"), [("gone.md", "FC2001"), ("trip.wf.md", "FC2009"), ("/etc/hosts", "FC2001")]
)
def test_m7_an_include_that_cannot_be_is_reported_at_its_path(path, code):
    result = compiled("START --> SUCCESS", f'!INCLUDE "{path}"')
    assert faults(result) == [(code, path)]


def test_m7_an_include_that_names_no_file_is_reported():
    result = compiled("START --> SUCCESS", "!INCLUDE\n!INCLUDED in prose\n")
    assert [(d.code, written(result, d.primary)) for d in result.diagnostics] == [
        ("FC1003", "!INCLUDE")
    ]


def test_m7_includes_are_bounded_in_number_and_depth():
    many = compiled("START --> SUCCESS", "!INCLUDE a\n" * 1002, a="")
    assert [d.code for d in many.diagnostics] == ["FC0001"]
    deep = {f"f{n}": f"!INCLUDE f{n + 1}" for n in range(2000)}
    result = compiled("START --> SUCCESS", "!INCLUDE f0", **deep)
    assert [d.code for d in result.diagnostics] == ["FC0001"]


def test_m8_a_history_file_loads_without_its_prompts():
    text = document("START --> PROMPT_A[User A]\nstyle START fill:#9f9")
    text = text.replace("# Prompts\n", "## Variables:\n- CITY: Oslo\n\n# History\n\n")
    text += "## 1. Prompt: User A  => SUCCESS\n<!-- 10:00 -->\nHello.\n"
    result = compile_text(text, "trip.wfh.md")
    assert result.diagnostics == ()
    assert result.workflow is not None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("# T\n\n# Workflow\n\nNothing drawn.\n", "FC1008"),
        ("# T\n\n# Workflow\n\n```mermaid\nflowchart TD\n```\n", "FC1008"),
        ("# T\n\n```mermaid\nflowchart TD\nSTART --> SUCCESS\n```\n", "FC1003"),
    ],
)
def test_a_file_without_a_chart_is_reported_once(text, code):
    result = compile_text(text, "empty.wf.md")
    assert [d.code for d in result.diagnostics] == [code]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_line_ends_and_a_byte_order_mark_do_not_matter(ends):
    text = document("START --> ASK_A[Ask: x]", "## User A\nHi.").replace("\n", ends)
    result = compile_text("\ufeff" + text, "a.wf.md")
    assert result.diagnostics == ()
    assert result.workflow == compile_text(text.replace("\r", ""), "a.wf.md").workflow


# --- edges, calls and ends (M15–M19, M42–M51) ---


@pytest.mark.parametrize("label", ["YES", "TRUE", " ok ", "success"])
@pytest.mark.parametrize("other", ["NO", "FALSE", "ERROR", "FAILED", " else ", "fail", "Other"])
def test_m15_label_words_in_any_case(label, other):
    workflow = read(
        f"START --> CHECK_A{{RESULT == 1}} -->|{label}| ASK_A\nCHECK_A --> |{other}| ASK_B"
    )
    found = ways(workflow, "CHECK_A")
    assert (found["true"], found["false"]) == ("ASK_A", "ASK_B")


def test_m15_any_other_label_is_reported_at_the_label():
    result = compiled("START --> CHECK_A{RESULT == 1} -->|PERHAPS| ASK_A")
    assert faults(result) == [("FC1005", "PERHAPS")]


def test_m15_m35_an_other_label_on_any_other_activity_is_its_way_out_when_it_fails():
    workflow = read("START --> EXECUTE_A[ls] -->|NO| ASK_B\nEXECUTE_A --> SUCCESS")
    assert ways(workflow, "EXECUTE_A") == {
        "on": "SUCCESS", "error:failure": "ASK_B", "error:timeout": "ASK_B",
        "error:refused": "ASK_B",
    }  # fmt: skip


@pytest.mark.parametrize("second", ["-->", "-->|YES|"])
def test_m16_a_second_edge_for_one_way_is_reported_with_both_places(second):
    result = compiled(f"START --> ASK_A\nSTART {second} ASK_B\nASK_B --> SUCCESS")
    (fault,) = [d for d in result.diagnostics if d.code == "FC1004"]
    assert written(result, fault.primary) == f"{second} ASK_B"
    assert written(result, fault.labels[0].span) == "--> ASK_A"


def test_m17_dashed_links_without_a_head_are_comments_and_other_arrows_are_edges():
    workflow = read("START -.-> ASK_A ==> ASK_B\nPARAMS[A=1] -.- START\nASK_B -.- START")
    shown = [(e.source, e.target) for e in workflow.edges if not e.implied]
    assert shown == [("START", "ASK_A"), ("ASK_A", "ASK_B")]


def test_m17_what_only_hangs_on_a_dashed_link_is_a_comment_of_any_kind():
    noted = "START --> ASK_A\nASK_A -.- NOTE_1[why] -.- NOTE_2\nNOTE_3(x) -.- START"
    assert compiled(noted).diagnostics == ()
    assert read(noted).nodes == read("START --> ASK_A").nodes
    stray = compiled("START --> ASK_A -.- NOTE_1\nNOTE_1 --> ASK_A")
    assert [d.code for d in stray.diagnostics] == ["FC1002"]


def test_m18_a_chart_without_start_is_reported_and_ends_need_not_be_drawn():
    assert [d.code for d in compiled("ASK_A --> ASK_B").diagnostics] == ["FC1003"]
    assert [n.id for n in read("START --> ASK_A").nodes] == ["START", "ASK_A", "SUCCESS", "FAILED"]


def test_m18_a_second_start_is_reported_with_the_first():
    result = compiled("START --> ASK_A\nSTART_AGAIN --> ASK_A")
    fault = next(d for d in result.diagnostics if d.code == "FC1004")
    assert written(result, fault.primary) == "START_AGAIN"
    assert written(result, fault.labels[0].span) == "START"


def test_m19_presentation_lines_are_ignored():
    plain = read("START --> ASK_A")
    styled = read(
        "START:::big --> ASK_A\nstyle START fill:#fff,stroke:#000;\nclassDef big font-size:20pt\n"
        "class ASK_A big\nlinkStyle 0 stroke:red\nclick START callback\nsubgraph one [One]\n"
        "direction LR\nASK_A\nend"
    )
    assert styled == plain


def test_an_edge_from_an_end_or_to_the_parameter_list_is_reported():
    result = compiled("START --> SUCCESS --> ASK_A\nSTART -->|NO| PARAMS[A=1]")
    assert [d.code for d in result.diagnostics if d.severity == "error"] == ["FC1001", "FC2001"]


def test_m46_what_has_no_successor_ends_success_and_failures_end_failed():
    workflow = read("START --> CHECK_A{RESULT == 1}\nCHECK_A -->|TRUE| EXECUTE_A[ls]")
    assert ways(workflow, "CHECK_A")["false"] == "FAILED"
    assert ways(workflow, "EXECUTE_A") == {
        "on": "SUCCESS", "error:failure": "FAILED", "error:timeout": "FAILED",
        "error:refused": "FAILED",
    }  # fmt: skip
    assert all(e.implied for e in workflow.edges if e.target in ("SUCCESS", "FAILED"))


def test_m44_a_called_workflow_that_fails_takes_the_false_edge():
    workflow = read(
        "START --> CALL_A[[other.wf.md]] -->|FALSE| ASK_A\nCALL_A --> SUCCESS",
        other__wf__md=document("START --> SUCCESS"),
    )
    call = node(workflow, "CALL_A")
    assert (call.passes_all, call.returns_all, call.shares_sessions) == (True, True, True)
    assert ways(workflow, "CALL_A")["error:failure"] == "ASK_A"


def test_m44_calls_within_calls_are_bounded():
    names = {f"f{n}__wf__md": document(f"START --> CALL_A[f{n + 1}.wf.md]") for n in range(1500)}
    (fault,) = compiled("START --> CALL_A[f0.wf.md]", **names).diagnostics
    assert (fault.code, fault.message) == ("FC2009", "`CALL_A` is the 50th call within a call")


def test_m44_a_called_file_is_guessed_by_its_name_not_by_its_ending(tmp_path):
    (tmp_path / "other.wf.md").write_text(document("START --> SUCCESS"))
    for name, help in (("othr.wf.md", "did you mean `other.wf.md`?"), ("xyz.wf.md", "create")):
        path = tmp_path / "trip.wf.md"
        result = compile_text(document(f"START --> CALL_A[{name}]"), str(path))
        (fault,) = result.diagnostics
        assert fault.help.startswith(help)


def test_m42_a_call_counts_from_the_folder_of_its_file():
    files = {"sub/one.wf.md": document("START --> CALL_B[two.wf.md]"),
             "sub/two.wf.md": document("START --> SUCCESS")}  # fmt: skip
    text = document("START --> CALL_A[Call: sub/one.wf.md]")
    result = compile_text(text, "main.wf.md", sources=SourceSet(overrides=files))
    assert result.diagnostics == ()
    assert [path for path, _ in result.program.workflows] == ["main.wf.md", *files]


def test_m44_a_called_file_that_is_missing_is_reported_at_the_caption():
    result = compiled("START --> CALL_A[[gone.wf.md]]")
    assert faults(result) == [("FC2001", "gone.wf.md")]


def test_m45_the_limit_is_one_more_than_the_hits_and_leads_to_failed():
    workflow = read("START --> ASK_A --> CHECK_A{RESULT == 1}\nCHECK_A -->|NO| ASK_A")
    (limit,) = workflow.limits
    assert (limit.name, limit.then) == ("visits", "fail")
    assert ways(workflow, "ASK_A")["error:limit"] == "FAILED"
    assert "error:limit" not in ways(workflow, "START")


def test_m47_m49_handler_chains_end_as_their_outcome():
    workflow = read("START --> ASK_A\nON_SUCCESS --> ASK_B\nON_FAILED --> ASK_C")
    assert (workflow.on_success, workflow.on_failed) == ("ON_SUCCESS", "ON_FAILED")
    assert ways(workflow, "ASK_B")["on"] == "SUCCESS"
    assert ways(workflow, "ASK_C")["on"] == "FAILED"


def test_m49_a_failure_chain_that_reaches_success_ends_so():
    workflow = read("START --> ASK_A\nON_FAILED --> ASK_C --> SUCCESS")
    assert ways(workflow, "ASK_C")["on"] == "SUCCESS"


def test_m49_an_activity_that_both_handlers_lead_to_ends_as_the_handler_that_runs():
    workflow = read("START --> ASK_A\nON_SUCCESS --> ASK_B\nON_FAILED --> ASK_B")
    assert ways(workflow, "ASK_B")["on"] == "END"
    assert ways(workflow, "END") == {"true": "FAILED", "false": "SUCCESS"}
    flags = {
        n.id: n.assignments[-1].value.value
        for n in workflow.nodes
        if n.id in ("START", "ON_SUCCESS", "ON_FAILED")
    }
    assert flags == {"START": False, "ON_SUCCESS": False, "ON_FAILED": True}


def test_m51_the_result_is_shown_first():
    assert read("START --> SUCCESS").outputs == ("RESULT", "STATUS")


DRAFTS = """
    START@{ shape: f-circ, label:"begin"} --> PROMPT_SYSTEM
    PARAMS@{ shape: comment, label: "TOPIC=rain, \\nTONE"}
    PROMPT_SYSTEM[Prompt: System] --> PROMPT_DRAFT
    PROMPT_DRAFT[Prompt: User Draft] --> EXECUTE_COUNT
    EXECUTE_COUNT[Execute: ] --> PROMPT_VERDICT
    PROMPT_VERDICT[Prompt: User Verdict] --> CHECK_GOOD{RESULT == GOOD}
    CHECK_GOOD --> |TRUE| SUCCESS
    CHECK_GOOD --> |FALSE| PROMPT_AGAIN[Prompt: User Again]
    PROMPT_AGAIN --> EXECUTE_COUNT
    SUCCESS@{ shape: stadium  }
    FAILED@{ shape: stadium }
    style PROMPT_SYSTEM stroke:#123,stroke-width:3px,fill:#abc
"""


def test_m19_m29_a_chart_alone_lacks_exactly_its_prompts_and_compiles_with_them():
    names = ["System", "User Draft", "User Verdict", "User Again"]
    result = compiled(DRAFTS)
    assert faults(result) == [("FC1003", name) for name in names]
    with_prompts = compiled(
        DRAFTS, "".join(f"## {name}\nWrite of {{{{TOPIC}}}}.\n" for name in names)
    )
    assert with_prompts.diagnostics == ()
    assert with_prompts.spec.entry == "START"


def test_m42_a_plain_chart_cannot_be_called():
    result = compiled("START --> CALL_A[picture.mmd]", picture__mmd="graph TD\nA --> B\n")
    assert faults(result) == [("FC2001", "picture.mmd")]
