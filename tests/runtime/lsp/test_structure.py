"""Outline, folds, coloured names, names in all files, fixes and layout, over the real protocol."""

from __future__ import annotations

import pytest
from lsp_client import Failed, LspClient
from lsp_texts import CONTRACT, STEPS


def test_a_symbol_has_the_lines_that_belong_to_it(client):
    client.open("steps.md")
    params = {"textDocument": {"uri": client.uri("steps.md")}}
    first, second = client.request("textDocument/documentSymbol", params)
    assert client.cut("steps.md", first["range"]).endswith("→ PLACE")
    assert client.cut("steps.md", first["selectionRange"]) == "Look around"
    assert client.cut("steps.md", second["range"]).startswith("### 🔧 WORKFLOW STEP: Say it\n")


def test_an_inner_workflow_holds_its_nodes(client):
    client.open("judge.flow.yaml")
    outline = client.outline("judge.flow.yaml")
    assert outline[outline.index("tell") :] == ["tell", "  text", "  say"]


def test_folds_are_those_of_the_text_as_it_is_now(client):
    client.open("steps.md")
    assert (3, 11, "region") in client.folds("steps.md")
    client.replace("steps.md", "Find a place.\n", "Find a place.\nAny.\n")
    assert (3, 12, "region") in client.folds("steps.md")
    client.open("new.flow.yaml", "nodes:\n  - a: [\n    b: 1\n", wait=False)
    assert client.folds("new.flow.yaml") == [(1, 3, "region"), (2, 3, "region")]


def test_names_have_their_types(client):
    client.open("steps.md")
    tokens = client.tokens("steps.md")
    assert ("Look around", "function", "declaration definition") in tokens
    assert ("list_files", "method", "") in tokens
    assert ("PLACE", "variable", "modification") in tokens
    assert tokens.count(("PLACE", "variable", "")) == 2


def test_names_of_a_range_are_those_in_it(client):
    client.open("steps.md")
    lines = {"start": {"line": 6, "character": 0}, "end": {"line": 8, "character": 99}}
    assert [text for text, _, _ in client.tokens("steps.md", lines)] == ["list_files", "read_file"]


def test_names_move_with_what_is_typed_before_them(client):
    client.open("steps.md")
    client.tokens("steps.md")
    client.replace("steps.md", "# Trip 🧭\n", "# Trip 🧭\n\n🧭 more\n")
    assert ("Look around", "function", "declaration definition") in client.tokens("steps.md")


def test_names_of_the_workspace_are_found_by_some_of_their_letters(client):
    client.open("steps.md")
    assert ("Look around", "steps.md") in client.found("lkar")
    assert ("Mend it", "roof.json") in client.found("MEND")
    assert ("User More", "more.wf.md") in client.found("user more")
    assert client.found("there is nothing like it") == []
    client.replace("steps.md", "STEP: Say it", "STEP: Sing loudly")
    assert client.found("singl") == [("Sing loudly", "steps.md")]


def applied(client: LspClient, name: str, action: dict) -> str:
    [(uri, edits)] = action["edit"]["changes"].items()
    assert uri == client.uri(name)
    return client.applied(uri, edits)


def only(client: LspClient, name: str, mark: str, kind: str) -> list[dict]:
    place = client.place(name, mark)
    span = {"start": place["position"], "end": place["position"]}
    context = {"diagnostics": [], "only": [kind]}
    params = {"textDocument": place["textDocument"], "range": span, "context": context}
    return client.request("textDocument/codeAction", params)


def test_what_a_save_applies_holds_no_unsafe_fix(client):
    client.open("steps.md")
    client.replace("steps.md", "🛠️ TOOL: read_file", "TOOL: read_file")
    client.replace("steps.md", "[PLACE]", "[PLACES]")
    client.diagnostics("steps.md")
    [every] = only(client, "steps.md", "[PLA¦CES]", "source.fixAll")
    assert only(client, "steps.md", "[PLA¦CES]", "source.fix") == []
    client.write("steps.md", applied(client, "steps.md", every))
    assert client.codes("steps.md") == ["FC3001"]
    assert only(client, "steps.md", "[PLA¦CES]", "source.fixAll") == []
    [unsafe] = only(client, "steps.md", "[PLA¦CES]", "source.flowc.fixUnsafe")
    assert unsafe["title"] == "apply all fixes (1; 1 may change the meaning)"
    assert "[PLACE]" in applied(client, "steps.md", unsafe)


def test_all_faults_of_a_kind_are_mended_together(client):
    client.open("steps.md")
    text = client.texts[client.uri("steps.md")]
    client.write("steps.md", text.replace("[PLACE]", "[PLACES] and [PLACEE]"))
    client.diagnostics("steps.md")
    titles = {a["title"]: a for a in client.actions("steps.md", "[PLA¦CES]")}
    [title] = [title for title in titles if title.startswith("fix all FC3001")]
    assert "(2; may change the meaning)" in title
    assert "[PLACE] and [PLACE]" in applied(client, "steps.md", titles[title])


@pytest.mark.parametrize(
    ("name", "messy", "tidy"),
    [
        ("judge.flow.yaml", "    next:   judge #x", "    next: judge  #x"),
        ("roof.json", '{"step_id":"x"\n}', '{\n      "step_id": "x"\n    }'),
        ("steps.md", "### 🛠️ TOOLS: \t", "### 🛠️ TOOLS:"),
    ],
)
def test_formatting(client, name, messy, tidy):
    client.open(name)
    text = client.texts[client.uri(name)]
    if name == "judge.flow.yaml":
        text = client.formatting(name).replace("    next: judge", messy, 1)
    elif name == "roof.json":
        keys = CONTRACT[CONTRACT.index('{\n      "step_id": "mend"') : CONTRACT.rindex("\n  ]")]
        text = text.replace(keys, " ".join(keys.split()).replace('"task"', '\n"task"'))
        assert text != CONTRACT
        client.write(name, text)
        assert client.formatting(name) == CONTRACT
        return
    else:
        text = text.replace(tidy, messy)
    client.write(name, text)
    formatted = client.formatting(name)
    assert formatted == text.replace(messy, tidy)
    client.write(name, formatted)
    assert client.formatting(name) == formatted


def test_a_text_with_a_fault_is_not_formatted_and_the_reason_is_told(client):
    client.open("judge.flow.yaml")
    client.replace("judge.flow.yaml", "flow: 1", "flow: 1\nflwo: 2")
    with pytest.raises(Failed, match="fault in line 2"):
        client.formatting("judge.flow.yaml")
    client.open("README.md", "# Read me \n")
    with pytest.raises(Failed, match="not read as a workflow"):
        client.formatting("README.md")


def test_what_is_not_supported_is_answered_and_not_logged(client):
    document = {"textDocument": {"uri": client.uri("steps.md")}}
    for method in ("textDocument/codeLens", "textDocument/documentLink", "foo/bar"):
        with pytest.raises(Failed, match=f"Method Not Found: {method}"):
            client.request(method, document)
    with pytest.raises(Failed, match="Invalid Params"):
        client.request("workspace/executeCommand", {"command": "x"})
    with pytest.raises(Failed, match="Invalid Params"):
        client.request("textDocument/hover", {})
    client.notify("workspace/didChangeConfiguration", {"settings": {}})
    client.notify("textDocument/didSave", document)
    client.notify("textDocument/willSave", {**document, "reason": 1})
    client.notify("$/cancelRequest", {"id": 99})
    client.notify("textDocument/didOpen", {"textDocument": 3})
    client.open("steps.md")
    assert client.hover("steps.md", "[PLA¦CE]")
    assert client.logs == []


@pytest.mark.soak
def test_ten_megabytes_are_served(client):
    """One document of ten megabytes: it is folded, outlined and coloured, and not laid out."""
    head, step = STEPS.split("### 🔧", 1)
    client.open("big.md", head + ("### 🔧" + step) * (10_000_000 // len(STEPS.encode())))
    count = client.texts[client.uri("big.md")].count("WORKFLOW STEP:")
    assert len(client.folds("big.md")) == 20_000
    assert len(client.outline("big.md")) == count
    lines = {"start": {"line": 6, "character": 0}, "end": {"line": 8, "character": 99}}
    assert len(client.tokens("big.md", lines)) == 2
    with pytest.raises(Failed, match="longer than 2,000,000 characters"):
        client.formatting("big.md")
