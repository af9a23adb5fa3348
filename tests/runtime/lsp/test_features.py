"""Every feature of `flowc lsp`, driven over stdio on one file of each dialect."""

from __future__ import annotations

import json

import pytest
from lsp_client import Failed, LspClient
from lsp_texts import MACHINE, SCRIPT


def test_diagnostics_follow_unsaved_edits(client):
    assert client.open("steps.md") == []
    client.replace("steps.md", "- PLACE: where it goes", "- PLAC: where it goes")
    found = client.diagnostics("steps.md")
    assert [d["code"] for d in found] == ["FC3001"]
    client.replace("steps.md", "- PLAC: where it goes", "- PLACE: where it goes")
    assert client.diagnostics("steps.md") == []


def test_positions_count_utf_16_units(client):
    client.open("steps.md")
    client.replace("steps.md", "🧭🧭 Tell about [PLACE]", "🧭🧭 Tell about [PLACES]")
    [found] = client.diagnostics("steps.md")
    assert (found["code"], client.cut("steps.md", found["range"])) == ("FC3001", "PLACES")
    assert found["range"]["start"]["character"] == 17


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 21), ("utf-32", 15)])
def test_another_encoding_is_agreed_on(folder, encoding, column):
    client = LspClient(folder, encodings=[encoding, "utf-16"])
    assert client.capabilities["positionEncoding"] == encoding
    client.open("steps.md", wait=False)
    client.write("steps.md", client.texts[client.uri("steps.md")].replace("[PLACE]", "[PLACES]"))
    [found] = client.diagnostics("steps.md")
    assert found["range"]["start"]["character"] == column
    client.kill()


def test_an_open_file_stands_in_for_the_disk_in_files_that_call_it(client):
    assert client.open("trip.wf.md") == []
    client.open("more.wf.md")
    assert client.diagnostics("trip.wf.md") == []
    client.replace("more.wf.md", "PROMPT_MORE --> SUCCESS", "PROMPT_MORE --> ")
    assert client.codes("more.wf.md") == ["FC1001"]
    client.close("more.wf.md")
    assert client.open("more.wf.md") == []


def test_a_fault_in_an_included_file_is_shown_there(client):
    client.open("more.wf.md")
    (client.folder / "prompts.md").write_text("## User Other\n\nOther.\n", encoding="utf-8")
    client.replace("more.wf.md", "# More\n", "# More!\n")
    [found] = client.diagnostics("more.wf.md")
    assert found["code"] == "FC1003"
    assert client.cut("more.wf.md", found["range"]) == "User More"


def test_what_is_no_workflow_has_no_diagnostics(client):
    assert client.open("README.md", "# Read me\n\nNothing to run.\n") == []


@pytest.mark.parametrize(
    ("name", "mark", "says"),
    [
        ("steps.md", "[PLA¦CE]", ["`PLACE`", "written by:\n- `step_0`", "read by:\n- `step_1`"]),
        ("steps.md", "Look¦ around", ["`step_0`", "agent", "list_files", "Find a place"]),
        ("steps.md", "- list_f¦iles", ["built-in tool", "pure", "`pattern`"]),
        ("trip.wf.md", "{{CI¦TY}}", ["`CITY`", "written by:\n- `SET_CITY`"]),
        ("trip.wf.md", "Prompt: Us¦er Tell", ["prompt of the user", "Tell about {{CITY}}"]),
        ("trip.wf.md", "CHECK_¦OK{", ["choose", "RESULT CONTAINS 'Oslo'"]),
        ("trip.wf.md", "[[more.¦wf.md", ["workflow", "More"]),
        ("plain.mmd", "¦A[First]", ["`A`", "First"]),
        ("judge.flow.yaml", "to: rew¦rite", ["`rewrite`", "agent", "writes: `text`"]),
        ("judge.flow.yaml", "when: ma¦rk", ["`mark`", "written by:\n- `judge`"]),
        ("judge.flow.yaml", "uses: Bet¦ter", ["prompt of the user", "Write it better"]),
        ("judge.flow.yaml", "name: sa¦y", ["`say`", "agent", "writes: `said`"]),
        ("judge.flow.yaml", "into: sa¦id", ["`said`", "written by:\n- `say`"]),
        ("desk.json", '"aga¦in"', ["`again.pre`", "agent: a model"]),
        ("desk.json", 'pre_handler": "as¦k"', ["function of the script", "script.js:2"]),
        ("desk.json", 'agent": "cl¦erk"', ["`clerk`", "agent", "used by"]),
        ("roof.json", '["lo¦ok"]', ["`look`", "task", "role: roofer", "the leak is found"]),
        ("roof.json", 'role": "roo¦fer', ["`roofer`", "used by:\n- `look`"]),
        ("reading.md", "`$OUTPUT_S¦TEP_1`", ["`step_1`", "Raise the level"]),
    ],
)
def test_hover(client, name, mark, says):
    client.open(name)
    text = client.hover(name, mark)
    assert [part for part in says if part not in text] == [], text


def test_hover_says_nothing_where_nothing_is_named(client):
    client.open("steps.md")
    assert client.hover("steps.md", "Find¦ a place") == ""


@pytest.mark.parametrize(
    ("name", "mark", "places"),
    [
        ("steps.md", "[PLA¦CE]", [("steps.md", 11, "PLACE")]),
        ("trip.wf.md", "{{CI¦TY}}", [("trip.wf.md", 7, "CITY")]),
        ("trip.wf.md", "Prompt: Us¦er Tell", [("trip.wf.md", 18, "User Tell")]),
        ("trip.wf.md", "NO| PROMPT_¦TELL", [("trip.wf.md", 8, "PROMPT_TELL")]),
        ("trip.wf.md", "[[more.¦wf.md", [("more.wf.md", 1, "")]),
        ("more.wf.md", "Prompt: ¦User More", [("prompts.md", 1, "User More")]),
        ("plain.mmd", "B --> ¦C", [("plain.mmd", 3, "C")]),
        ("judge.flow.yaml", 'to: "do¦ne"', [("judge.flow.yaml", 25, "done")]),
        ("judge.flow.yaml", "when: ma¦rk", [("judge.flow.yaml", 14, "mark")]),
        ("judge.flow.yaml", "call: te¦ll", [("judge.flow.yaml", 32, "tell")]),
        ("desk.json", 'handler": "jud¦ge"', [("script.js", 5, "judge")]),
        ("desk.json", 'context": "ta¦lk"', [("desk.json", 7, "talk")]),
        ("roof.json", '["lo¦ok"]', [("roof.json", 7, "look")]),
        ("reading.md", "`$OUTPUT_S¦TEP_1`", [("reading.md", 15, "step_1")]),
    ],
)
def test_definition(client, name, mark, places):
    client.open(name)
    assert client.definition(name, mark) == places


def test_the_definition_of_a_tool_is_its_entry_in_the_lock(client):
    lock = {"schema_version": 1, "tools": [{"name": "weather", "description": "How it is."}]}
    (client.folder / "flowc.tools.json").write_text(json.dumps(lock, indent=1), encoding="utf-8")
    text = (client.folder / "steps.md").read_text(encoding="utf-8")
    client.open("steps.md", text.replace("list_files", "weather"))
    assert client.definition("steps.md", "- wea¦ther") == [("flowc.tools.json", 5, "weather")]
    assert "tool from the lock" in client.hover("steps.md", "- wea¦ther")


def test_references_in_one_file(client):
    client.open("steps.md")
    assert [line for _, line, _ in client.references("steps.md", "[PLA¦CE]")] == [11, 15, 19]
    client.open("trip.wf.md")
    nodes = client.references("trip.wf.md", "style CHECK¦_OK")
    assert [line for _, line, _ in nodes] == [9, 10, 11, 13]
    assert {text for _, _, text in nodes} == {"CHECK_OK"}


def test_references_across_files(client):
    client.open("trip.wf.md")
    assert client.references("trip.wf.md", "{{CI¦TY}}") == [
        ("prompts.md", 3, "CITY"), ("trip.wf.md", 7, "CITY"), ("trip.wf.md", 20, "CITY"),
    ]  # fmt: skip
    client.open("more.wf.md")
    client.open("prompts.md", wait=False)
    assert ("trip.wf.md", 7, "CITY") in client.references("prompts.md", "{{CI¦TY}}")
    client.open("steps.md")
    (client.folder / "other.md").write_text(client.texts[client.uri("steps.md")], encoding="utf-8")
    tools = client.references("steps.md", "- read_f¦ile")
    assert {(name, line) for name, line, _ in tools} == {
        ("steps.md", 9), ("steps.md", 17), ("other.md", 9), ("other.md", 17),
        ("judge.flow.yaml", 13),
    }  # fmt: skip


def test_rename_a_variable(client):
    client.open("steps.md")
    [(_, text)] = client.rename("steps.md", "[PLA¦CE]", "SPOT").items()
    assert "PLACE" not in text
    assert text == client.texts[client.uri("steps.md")].replace("PLACE", "SPOT")


def test_rename_a_variable_that_a_called_file_shares(client):
    client.open("trip.wf.md")
    texts = client.rename("trip.wf.md", "{{CI¦TY}}", "TOWN")
    assert set(texts) == {"trip.wf.md", "prompts.md"}
    assert "SET_CITY[TOWN=Oslo]" in texts["trip.wf.md"]
    assert texts["prompts.md"] == "## User More\n\nMore about {{TOWN}}, please.\n"


def test_rename_uses_unsaved_texts(client):
    client.open("trip.wf.md")
    client.open("prompts.md", "## User More\n\nNew text about {{CITY}}.\n", wait=False)
    texts = client.rename("trip.wf.md", "{{CI¦TY}}", "TOWN")
    assert texts["prompts.md"] == "## User More\n\nNew text about {{TOWN}}.\n"


def test_rename_a_node_with_its_style(client):
    client.open("trip.wf.md")
    [(_, text)] = client.rename("trip.wf.md", "CHECK_¦OK{", "CHECK_FINE").items()
    assert text == client.texts[client.uri("trip.wf.md")].replace("CHECK_OK", "CHECK_FINE")


def test_rename_a_step_of_a_contract(client):
    client.open("roof.json")
    [(_, text)] = client.rename("roof.json", '["lo¦ok"]', "inspect").items()
    assert text == client.texts[client.uri("roof.json")].replace('"look"', '"inspect"')


def test_rename_a_state_with_the_script_that_leads_to_it(client):
    client.open("desk.json")
    texts = client.rename("desk.json", '"name": "aga¦in"', "once_more")
    assert texts["desk.json"] == MACHINE.replace('"again"', '"once_more"')
    assert texts["script.js"] == SCRIPT.replace('"again"', '"once_more"')


def test_names_in_a_script_are_those_of_the_machine(client):
    client.open("desk.json")
    client.open("desk/script.js", wait=False)
    assert client.references("desk/script.js", '"aga¦in"') == [
        ("desk.json", 14, "again"), ("script.js", 7, "again"),
    ]  # fmt: skip
    assert client.references("desk/script.js", "as¦k()") == [
        ("desk.json", 13, "ask"), ("desk.json", 14, "ask"), ("script.js", 2, "ask"),
    ]  # fmt: skip


def test_rename_in_flow_yaml(client):
    client.open("judge.flow.yaml")
    text = client.texts[client.uri("judge.flow.yaml")]
    [(_, node)] = client.rename("judge.flow.yaml", 'to: "do¦ne"', "ready").items()
    assert node == text.replace("done", "ready")
    [(_, prompt)] = client.rename("judge.flow.yaml", "uses: Bet¦ter", "Again").items()
    assert prompt == text.replace("Better", "Again")
    [(_, variable)] = client.rename("judge.flow.yaml", "when: ma¦rk", "score").items()
    assert variable == text.replace("into: mark", "into: score").replace("mark >", "score >")


PARTS = """\
flow: 1
nodes:
  - name: tests
    exec: make test
    into: {log: stdout, status: code}
  - name: again
    exec: make again
    into:
      log: stderr
  - {name: fine, assert: status == 0}
outputs: [log]
"""


def test_variables_that_get_parts_of_a_result_are_renamed_and_the_parts_are_offered(client):
    client.open("parts.flow.yaml", PARTS)
    [(_, text)] = client.rename("parts.flow.yaml", "{lo¦g:", "story").items()
    assert text == PARTS.replace("log", "story")
    [(_, text)] = client.rename("parts.flow.yaml", "assert: stat¦us", "code").items()
    assert text == PARTS.replace("status", "code")
    for old, new, mark in (
        ("      log: stderr", "      log: st", "      log: st¦"),
        ("status: code}", "status: c}", "status: c¦"),
    ):
        client.replace("parts.flow.yaml", old, new)
        found = client.completion("parts.flow.yaml", mark)
        assert {"stdout", "stderr", "code", "json"} <= found.keys(), found


def test_an_inner_workflow_has_names_of_its_own(client):
    client.open("judge.flow.yaml")
    inner = client.references("judge.flow.yaml", "into: sa¦id")
    assert [line for _, line, _ in inner] == [38, 39]
    outer = client.references("judge.flow.yaml", "Give a mark. {{ te¦xt")
    assert [line for _, line, _ in outer] == [4, 7, 12, 22, 27, 29]


def test_rename_a_prompt_in_an_included_file(client):
    client.open("more.wf.md")
    texts = client.rename("more.wf.md", "Prompt: Us¦er More", "User Again")
    assert "Prompt: User Again" in texts["more.wf.md"]
    assert texts["prompts.md"].startswith("## User Again\n")


@pytest.mark.parametrize(
    ("name", "mark", "new", "reason"),
    [
        ("trip.wf.md", "CHECK_¦OK{", "PROMPT_OK", "nobody wrote the prompt"),
        ("trip.wf.md", "CHECK_¦OK{", "SET_CITY", "there is a node `SET_CITY` already"),
        ("trip.wf.md", "{RES¦ULT", "ANSWER", "not defined in this file"),
        ("trip.wf.md", "{{CI¦TY}}", "RESULT", "already"),
        ("trip.wf.md", "{{CI¦TY}}", "a b", "a b"),
        ("trip.wf.md", "Prompt: User¦ Tell", "System Tell", "something else"),
        ("trip.wf.md", "[[more.¦wf.md", "less.wf.md", "not named by this file alone"),
        ("steps.md", "- list_f¦iles", "x", "not named by this file alone"),
        ("steps.md", "Find¦ a place", "x", "no name stands here"),
        ("steps.md", "[PLA¦CE]", "", "one line of text"),
        ("steps.md", "[PLA¦CE]", "SENTENCE", "already"),
        ("steps.md", "[PLA¦CE]", "place", "."),
        ("desk.json", '"name": "sta¦rt"', "begin", "."),
        ("desk.json", '"name": "sto¦p"', "end", "."),
        ("desk.json", 'name": "quest¦ion"', "wish", "the script has `question` in line 3"),
        ("roof.json", '["lo¦ok"]', "mend", "there is a node `mend` already"),
        ("reading.md", "`$OUTPUT_S¦TEP_1`", "first", "names it as"),
    ],
)
def test_a_rename_that_would_change_more_is_refused_with_the_reason(
    client, name, mark, new, reason
):
    client.open(name)
    with pytest.raises(Failed, match=reason):
        client.rename(name, mark, new)


def test_what_can_be_renamed_is_asked_before(client):
    client.open("steps.md")
    place = client.request("textDocument/prepareRename", client.place("steps.md", "[PLA¦CE]"))
    assert client.cut("steps.md", place) == "PLACE"
    with pytest.raises(Failed, match="no name stands here"):
        client.request("textDocument/prepareRename", client.place("steps.md", "Fi¦nd"))


def test_the_outline_is_in_the_order_of_the_file(client):
    client.open("steps.md")
    assert client.outline("steps.md") == ["Look around", "Say it"]
    client.open("trip.wf.md")
    outline = client.outline("trip.wf.md")
    assert outline[0] == "START"
    assert outline[-1] == "User Tell"


def test_fixes_are_marked_safe_or_not(client):
    client.open("steps.md")
    client.replace("steps.md", "### 🛠️ TOOL: read_file", "### TOOL: read_file")
    client.diagnostics("steps.md")
    safe, *_, every = client.actions("steps.md", "### TO¦OL: read_file")
    assert (safe["isPreferred"], every["kind"]) == (True, "source.fixAll.flowc")
    fixed = client.applied(client.uri("steps.md"), safe["edit"]["changes"][client.uri("steps.md")])
    client.write("steps.md", fixed)
    assert client.diagnostics("steps.md") == []
    client.replace("steps.md", "[PLACE]", "[PLACES]")
    client.diagnostics("steps.md")
    unsafe, together = client.actions("steps.md", "[PLA¦CES]")
    assert together["kind"] == "source.flowc.fixUnsafe"
    assert unsafe["isPreferred"] is False
    assert unsafe["title"].endswith("(may change the meaning)")


def test_words_of_a_text_are_told_of_at_once_and_once(client):
    """What is found stays as it is while words are typed; a compilation confirms it, in silence."""
    text = (client.folder / "steps.md").read_text(encoding="utf-8")
    told = client.open("steps.md", text.replace("- PLACE: where", "- PLAC: where"))
    assert told != []
    client.hover("steps.md", "[PLA¦CE]")
    before = client.publications
    client.replace("steps.md", "a place.", "a very nice place.")
    client.completion("steps.md", "[PLA¦CE]")  # answered without a compilation
    assert client.published[1]["version"] == 2
    assert client.published[1]["diagnostics"] == told
    client.hover("steps.md", "[PLA¦CE]")
    client.outline("steps.md")
    assert client.publications == before + 1


def test_the_name_of_a_step_is_told_of_at_once_and_once(client):
    """What is found stays, under the new name; a compilation confirms it, in silence."""
    text = (client.folder / "steps.md").read_text(encoding="utf-8")
    told = client.open("steps.md", text.replace("- PLACE: where", "- PLAC: where"))
    assert any("`Say it`" in row["message"] for row in told)
    client.hover("steps.md", "[PLA¦CE]")
    before = client.publications
    for old, new in (("Say it", "Say itx"), ("Say itx", "Say it well")):
        client.replace("steps.md", f"WORKFLOW STEP: {old}", f"WORKFLOW STEP: {new}")
        client.completion("steps.md", "[PLA¦CE]")  # answered without a compilation
    assert client.published[1]["version"] == 3
    shown = [row["message"] for row in client.published[1]["diagnostics"]]
    assert shown == [row["message"].replace("`Say it`", "`Say it well`") for row in told]
    client.hover("steps.md", "[PLA¦CE]")
    client.outline("steps.md")
    assert client.publications == before + 2


def test_a_word_that_changes_what_is_found_is_told_of_after_it(client):
    client.open("steps.md")
    client.hover("steps.md", "[PLA¦CE]")
    client.replace("steps.md", "Find a place.", "Find a [PLACES] place.")
    assert client.codes("steps.md") == ["FC3001"]
    client.replace("steps.md", "a [PLACES] place", "a PLACES place")
    assert client.codes("steps.md") == []


def test_line_ends_of_windows(client):
    text = (client.folder / "steps.md").read_text(encoding="utf-8").replace("\n", "\r\n")
    with open(client.folder / "windows.md", "w", encoding="utf-8", newline="") as file:
        file.write(text)
    client.open("windows.md", text)
    [(_, changed)] = client.rename("windows.md", "[PLA¦CE]", "SPOT").items()
    assert changed == text.replace("PLACE", "SPOT")
