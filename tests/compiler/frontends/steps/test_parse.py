"""Step markdown, rule by rule (S1 to S25)."""

from __future__ import annotations

import pytest
from flowc.compiler.diagnostics.diagnostic import Diagnostic
from flowc.compiler.diagnostics.fixes import apply_fixes, chosen_fixes
from flowc.compiler.driver import CompileResult, compile_text
from flowc.compiler.expr.ast import Name
from flowc.compiler.frontends.steps.parse import claims
from flowc.compiler.ir import AgentNode
from flowc.compiler.source.source import Source, Span

FENCE = "```\nDo it.\n```\n"
TOOL = "### 🛠️ TOOL: read_file\n"


def step(name: str = "Do it", *sections: str, body: str = FENCE, tool: str = TOOL) -> str:
    return f"### 🔧 WORKFLOW STEP: {name}\n{body}\n{tool}\n" + "".join(f"{s}\n" for s in sections)


def read(text: str) -> CompileResult:
    return compile_text(text, "main.md", format="steps")


def steps(text: str) -> list[AgentNode]:
    workflow = read(text).workflow
    return [n for n in workflow.nodes if isinstance(n, AgentNode)] if workflow else []


def only(text: str) -> AgentNode:
    (found,) = steps(text)
    return found


def found(text: str) -> list[tuple[str, str]]:
    return [(d.code, d.severity) for d in read(text).diagnostics if d.code.startswith("FC1")]


def texts(node: AgentNode) -> list[str]:
    return [assertion.text for assertion in node.asserts]


class TestSteps:
    def test_s1_a_step_runs_to_the_next_heading_and_counts_from_0(self) -> None:
        nodes = steps(step("  First ") + step("Second"))
        assert [(n.id, n.title, n.step) for n in nodes] == [
            ("step_0", "First", 0),
            ("step_1", "Second", 1),
        ]

    def test_s2_the_description_is_the_first_fence_trimmed(self) -> None:
        body = "```\n\n  Look.\n  Twice.\n\n```\n\n```\nan example\n```\n"
        assert only(step(body=body)).description == "Look.\n  Twice."

    @pytest.mark.parametrize("body", ["", "Look.\n", "~~~\nLook.\n~~~\n", "```\n\n```\n"])
    def test_s2_a_step_without_description_is_named(self, body: str) -> None:
        (fault,) = read(step("Look", body=body)).diagnostics
        assert fault.code == "FC1003"
        assert "`Look`" in fault.message
        assert "description" in fault.message

    def test_s3_one_tool_or_a_list_in_written_order(self) -> None:
        assert only(step()).tools == ("read_file",)
        several = "### 🛠️ TOOLS:\n- search_files\n- list_files\n- search_files\n"
        node = only(step(tool=several))
        assert node.tools == ("search_files", "list_files", "search_files")
        assert node.ordered, "S48: they are used one after another"

    def test_s3_a_step_without_tool_is_named(self) -> None:
        (fault,) = read(step("Look", tool="")).diagnostics
        assert fault.code == "FC1003"
        assert fault.message == "step 1 (`Look`) has no tool specification"

    def test_s4_the_list_beats_the_single_tool_and_the_first_of_two_counts(self) -> None:
        both = TOOL + "### 🛠️ TOOLS:\n- list_files\n"
        assert only(step(tool=both)).tools == ("list_files",)
        assert found(step(tool=both)) == [("FC1004", "warning")]
        two = TOOL + "### 🛠️ TOOL: list_files\n"
        assert only(step(tool=two)).tools == ("read_file",)
        assert found(step(tool=two)) == [("FC1004", "warning")]

    def test_s4_tool_text_is_taken_literally(self) -> None:
        assert only(step(tool="### 🛠️ TOOL: `a`, b\n")).tools == ("`a`, b",)

    def test_s5_inputs_split_at_the_first_colon(self) -> None:
        node = only(step("Do", "### 📥 INPUTS:\n- URL: where: the address\n- X:\n"))
        assert [(i.name, i.description) for i in node.inputs] == [
            ("URL", "where: the address"),
            ("X", ""),
        ]

    def test_s5_an_input_without_colon_is_reported_and_not_read(self) -> None:
        text = step("Do", "### 📥 INPUTS:\n- URL\n")
        assert only(text).inputs == ()
        assert found(text) == [("FC1001", "warning")]

    def test_s6_both_arrows_and_the_real_one_first(self) -> None:
        node = only(step("Do", "### 📤 OUTPUTS:\n- r.a → A\n- r.b -> B\n- a->b → G\n"))
        assert [(o.source, o.name) for o in node.outputs] == [
            ("r.a", "A"),
            ("r.b", "B"),
            ("a->b", "G"),
        ]

    def test_s7_only_the_first_arrow_splits(self) -> None:
        node = only(step("Do", "### 📤 OUTPUTS:\n- r → E → F\n"))
        assert [(o.source, o.name) for o in node.outputs] == [("r", "E → F")]

    @pytest.mark.parametrize("item", ["r => A", "r", "r →", "r ->"])
    def test_s7_an_output_without_arrow_or_name_is_an_error(self, item: str) -> None:
        text = step("Do", f"### 📤 OUTPUTS:\n- {item}\n")
        assert only(text).outputs == ()
        assert found(text) == [("FC1001", "error")]

    def test_s8_two_outputs_of_one_source_are_both_kept(self) -> None:
        node = only(step("Do", "### 📤 OUTPUTS:\n- r.id → A\n- r.id → B\n"))
        assert [o.name for o in node.outputs] == ["A", "B"]

    def test_s9_assertions_keep_order_and_text(self) -> None:
        items = ["`result.a` == 'x: → y'", "it  shines", "[NAME] is there"]
        node = only(step("Do", "### ✅ ASSERT:\n" + "".join(f"- {i}\n" for i in items)))
        assert texts(node) == items

    def test_s25_names_need_not_be_unique(self) -> None:
        result = read(step("Same") + step("Same"))
        assert result.ok
        assert len(result.workflow.nodes) == 4


class TestLists:
    def test_s10_one_bullet_is_stripped(self) -> None:
        node = only(step("Do", "### ✅ ASSERT:\n- --flag is set\n- -1 < 0\n-tight\n"))
        assert texts(node) == ["--flag is set", "-1 < 0", "tight"]

    def test_s11_wrapped_items_are_joined_and_the_list_goes_on(self) -> None:
        body = "- first\n  continued\nand on\n\n\n  after a gap\n- second\n\n   - third\n"
        node = only(step("Do", f"### ✅ ASSERT:\n{body}"))
        assert texts(node) == ["first continued and on after a gap", "second", "third"]

    def test_s11_prose_after_a_gap_ends_the_list(self) -> None:
        node = only(step("Do", "### ✅ ASSERT:\n- first\n\nNote:\n\n- no assertion\n"))
        assert texts(node) == ["first"]

    @pytest.mark.parametrize("rule", ["---", "- - -", "***", "-----  "])
    def test_s12_a_rule_is_no_item(self, rule: str) -> None:
        node = only(step("Do", f"### ✅ ASSERT:\n- first\n{rule}\n"))
        assert texts(node) == ["first"]
        assert only(step(tool=f"### 🛠️ TOOLS:\n- a\n\n{rule}\n")).tools == ("a",)

    @pytest.mark.parametrize("bullet", ["*", "+", "1.", "27)"])
    def test_s13_other_bullets_are_accepted(self, bullet: str) -> None:
        assert texts(only(step("Do", f"### ✅ ASSERT:\n{bullet} first\n{bullet} second\n"))) == [
            "first",
            "second",
        ]


class TestHeadings:
    def test_s14_the_nearest_level_2_heading_is_the_section(self) -> None:
        text = (
            step("A") + "## One\n" + step("B") + "##Two\n" + step("C") + "## Three \n" + step("D")
        )
        assert [n.section for n in steps(text)] == ["", "One", "One", "Three"]

    @pytest.mark.parametrize("hashes", ["###", "####", "######"])
    @pytest.mark.parametrize("gap", ["", " ", "\t "])
    def test_s15_three_hashes_or_more_blanks_optional(self, hashes: str, gap: str) -> None:
        assert only(step().replace("### ", hashes + gap)).title == "Do it"

    def test_s15_two_hashes_are_an_error_that_is_repaired(self) -> None:
        assert found("#" + step()[2:])[0] == ("FC1002", "error")

    def test_s15_without_the_sign_it_is_an_error(self) -> None:
        assert found(step().replace("🔧 ", "")) == [("FC1002", "error")]

    def test_s15_a_title_that_begins_like_a_keyword_is_a_title(self) -> None:
        text = "## TOOLS: which ones\n" + step() + "### 🚀 Tools: which ones\n"
        assert read(text).diagnostics == ()
        assert only(text).section == "TOOLS: which ones"

    def test_s16_the_variation_selector_may_be_missing(self) -> None:
        assert read(step(tool="### 🛠 TOOL: read_file\n")).ok

    def test_s17_a_fence_with_a_tag_is_a_description(self) -> None:
        assert only(step(body="```text\nLook.\n```\n")).description == "Look."

    def test_s18_a_description_further_down_is_read_with_a_warning(self) -> None:
        text = step(body="", tool=TOOL + FENCE)
        assert only(text).description == "Do it."
        assert found(text) == [("FC1001", "warning")]

    def test_s19_headings_in_fences_are_text(self) -> None:
        example = "````\n" + step("Example") + "````\n"
        assert [n.title for n in steps(example + step("Real") + example)] == ["Real"]

    def test_s20_an_empty_name_swallows_nothing(self) -> None:
        text = step("")
        assert only(text).title == ""
        (fault,) = read(text).diagnostics
        assert (fault.code, fault.message) == ("FC1003", "workflow step 1 has no name")

    def test_s20_an_empty_tool_is_an_error(self) -> None:
        text = step("Do", "### ✅ ASSERT:\n- it is\n", tool="### 🛠️ TOOL:\n")
        (fault,) = read(text).diagnostics
        assert (fault.code, fault.message) == ("FC1003", "step 1 (`Do`) names no tool")

    def test_s21_trailing_words_are_accepted(self) -> None:
        node = only(step("Do", "### ✅ ASSERT: (optional)\n- it is\n"))
        assert texts(node) == ["it is"]

    def test_s22_a_file_without_steps_is_an_error(self) -> None:
        (fault,) = read("# Nothing\n\nto do\n").diagnostics
        assert fault.code == "FC1008"
        assert "no workflow steps" in fault.message

    @pytest.mark.parametrize(
        ("heading", "meant"),
        [
            ("### 📥 INPUT:", "INPUTS"),
            ("### 📤 OUTPUT:", "OUTPUTS"),
            ("### ✅ ASSERTS:", "ASSERT"),
            ("### ✅ Assert:", "ASSERT"),
            ("### 📥 inputs:", "INPUTS"),
        ],
    )
    def test_a_misspelt_keyword_is_named_and_repaired(self, heading: str, meant: str) -> None:
        text = step("Do", f"{heading}\n- A → B: c\n")
        fault = next(d for d in read(text).diagnostics if d.code == "FC1002")
        assert f"did you mean `{meant}`?" in fault.message
        fixed = apply_fixes(text, chosen_fixes([fault], "main.md"))
        assert "FC1002" not in {code for code, _ in found(fixed)}


class TestFilesAsTheyAre:
    TEXT = (
        "# Title\n\n## Part\n\n"
        + step("One", "### 📤 OUTPUTS:\n- r.a → A\n", "### ✅ ASSERT:\n- r is\n  long\n")
        + step("Two", "### 📥 INPUTS:\n- A: what\n", body="```\nUse [A].\nTwice.\n```\n")
    )

    @pytest.mark.parametrize("change", ["", "\ufeff"])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_s23_line_ends_and_byte_order_mark_change_nothing(self, change: str, end: str) -> None:
        result = compile_text(change + self.TEXT.replace("\n", end), "main.md")
        assert result.diagnostics == ()
        assert result.workflow == read(self.TEXT).workflow

    @pytest.mark.parametrize("page", ["cp1254", "cp1252"])
    def test_s24_damage_is_read_reported_and_repaired(self, page: str) -> None:
        damaged = self.TEXT.encode().decode(page, errors="ignore")
        assert "🔧" not in damaged
        result = read(damaged)
        assert {(d.code, d.severity) for d in result.diagnostics} == {("FC1006", "warning")}
        assert result.workflow == read(self.TEXT).workflow
        fixed = apply_fixes(damaged, chosen_fixes(result.diagnostics, "main.md"))
        assert fixed == self.TEXT

    def test_s24_replacement_characters_are_damage_too(self) -> None:
        assert found(step().replace("🔧", "\ufffd\ufffd")) == [("FC1006", "warning")]

    def test_s24_fences_with_blanks_count_only_without_real_ones(self) -> None:
        spaced = step(body="` ` `\nDo it.\n` ` `\n")
        assert found(spaced) == [("FC1006", "warning")]
        assert only(spaced).description == "Do it."
        fixed = apply_fixes(spaced, chosen_fixes(read(spaced).diagnostics, "main.md"))
        assert fixed == step()
        assert found(step("A") + step("B", body="` ` `\nDo it.\n` ` `\n")) == [("FC1003", "error")]

    def test_an_open_fence_is_reported_where_it_opens_and_alone(self) -> None:
        text = step("A", body="```\nno end\n") + step("B") + step("C")
        (fault,) = read(text).diagnostics
        assert fault.code == "FC1001"
        assert fault.primary == Span("main.md", text.index("```"), text.index("```") + 3)

    def test_every_fault_of_a_file_is_reported(self) -> None:
        text = TOOL + step("A", tool="") + step("B", "### 📤 OUTPUTS:\n- x\n") + step("C", body="")
        assert [code for code, _ in found(text)] == ["FC1001", "FC1003", "FC1001", "FC1003"]

    @pytest.mark.parametrize(
        ("text", "claim"),
        [
            (step(), 90),
            ("````\n" + step() + "````\n", 40),
            ("````\n" + step() + "````\n" + step(), 90),
            (step().replace("###", "##"), 60),
            (step().replace("WORKFLOW STEP", "Workflow Step"), 60),
            ("### INPUTS:\n- of a function\n\n### Workflow step: build\n", 0),
            (step().encode().decode("cp1254", errors="ignore"), 90),
            ("### 🛠️ TOOL: x\n", 40),
            ("# Workflow\n\n## WORKFLOW STEP\n", 0),
            ("", 0),
        ],
    )
    def test_claims(self, text: str, claim: int) -> None:
        assert claims(Source("main.md", text)) == claim


class TestSpans:
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    @pytest.mark.parametrize("pad", ["", "\t", "  "])
    def test_every_span_covers_the_text_it_names(self, end: str, pad: str) -> None:
        text = TestFilesAsTheyAre.TEXT.replace(": ", f": {pad}").replace("→ ", f"→ {pad}")
        text = text.replace("\n", end)
        result = read(text)
        assert result.ok

        def at(span: Span | None) -> str:
            assert span is not None
            return " ".join(text[span.start : span.end].split())

        for node in result.workflow.nodes:
            if isinstance(node, AgentNode):
                assert at(node.span) == node.title
                assert [at(i.span) for i in node.inputs] == [i.name for i in node.inputs]
                assert [at(o.span) for o in node.outputs] == [o.name for o in node.outputs]
                assert [at(a.span) for a in node.asserts] == texts(node)
                assert node.prompt is not None
                assert at(node.prompt.span) == node.title
        assert [at(t.span) for t in result.workflow.tools] == ["read_file"]
        assert [at(f.span) for f in result.workflow.state] == ["A"]

    def test_placeholders_have_the_span_of_their_name(self) -> None:
        text = TestFilesAsTheyAre.TEXT.replace("\n", "\r\n")
        call = next(p for p in steps(text)[1].prompt.parts if p.kind == "call")
        name = call.args[0]
        assert isinstance(name, Name)
        assert text[name.span.start - 1 : name.span.end + 1] == "[A]"

    def test_the_first_column_of_a_diagnostic_is_the_users(self) -> None:
        text = "\ufeff# T\r\n\r\n" + step("Do", "### 📤 OUTPUTS:\n-\tr.x\n").replace("\n", "\r\n")
        result = compile_text(text, "main.md")
        (fault,) = result.diagnostics
        place = result.sources.get("main.md").position(fault.primary.start)
        assert result.sources.get("main.md").line_text(place.line)[place.column - 1 :] == "r.x"


def test_reading_is_linear_in_hostile_texts() -> None:
    """Each of these hung a pattern that was tried, or could hang one."""
    for text in (
        "### " + "🔧 " * 50_000 + "x",
        "### " + " " * 200_000 + "x",
        "#" * 200_000,
        "- " * 100_000,
        "-" * 200_000 + "x",
        "```\n" * 20_000 + "x",
        "- a\n" + "\n" * 200_000,
        "[A" * 100_000,
        (" " * 50 + "\n") * 5_000,
        step(body="```\n" + "[A_" * 50_000 + "\n```\n"),
        "### 📤 OUTPUTS:\n- " + "â" * 200_000 + "\n",
    ):
        diagnostics: tuple[Diagnostic, ...] = read(text).diagnostics
        assert all(d.primary.end <= len(text) for d in diagnostics)
