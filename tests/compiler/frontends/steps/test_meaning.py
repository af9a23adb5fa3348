"""What step markdown becomes: prompts (S30 to S35), edges, parameters, measured assertions."""

from __future__ import annotations

from flowc.compiler.driver import CompileResult, compile_text
from flowc.compiler.expr.evaluate import evaluate
from flowc.compiler.ir import AgentNode, OnError

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


def texts(node: AgentNode) -> list[str]:
    return [assertion.text for assertion in node.asserts]


class TestPrompt:
    FULL = step("Read", "### 📤 OUTPUTS:\n- r.name → NAME\n- r.x → PR2_ID\n") + step(
        "Use it",
        "### 📥 INPUTS:\n- NAME: who it is\n",
        "### 📤 OUTPUTS:\n- r.size → SIZE\n",
        "### ✅ ASSERT:\n- result.size > 0\n- it is [NAME]\n",
        body="```\nGreet [NAME], [PR2_ID], [SIZE], [UNKNOWN] and [name].\n```\n",
        tool="### 🛠️ TOOLS:\n- list_files\n- read_file\n",
    )

    def prompt(self, number: int, **variables: object) -> str:
        shown = evaluate(steps(self.FULL)[number].prompt, variables)
        assert isinstance(shown, str)
        return shown

    def test_s30_everything_stands_in_order(self) -> None:
        shown = self.prompt(1, NAME="Ada", PR2_ID=7)
        marks = [
            "Step 2: Use it",
            "Greet Ada, 7",
            "in order",
            "1. `list_files`",
            "2. `read_file`",
            "NAME = Ada (who it is)",
            "criteria (2)",
            "1. result.size > 0",
            "2. it is [NAME]",
            "take r.size and report it as SIZE",
            "`report_step_result`",
        ]
        places = [shown.index(mark) for mark in marks]
        assert places == sorted(places)

    def test_s31_the_report_is_explained(self) -> None:
        shown = self.prompt(1, NAME="Ada")
        for part in ("step_number: 2", '"passed"', '"failed"', "a list of 2", "keys SIZE"):
            assert part in shown
        for part in ("assertion", "passed", "detail", "error_message"):
            assert part in shown

    def test_s31_lines_about_nothing_are_left_out(self) -> None:
        shown = evaluate(only(step()).prompt, {})
        assert "Use the tool `read_file`" in shown
        for part in ("assertion_results", "output_variables", "Inputs", "criteria", "Outputs"):
            assert part not in shown

    def test_s33_unknown_names_and_unset_variables_stay_as_written(self) -> None:
        shown = self.prompt(1, NAME="Ada", PR2_ID=7)
        assert "[SIZE], [UNKNOWN] and [name]." in shown

    def test_s33_a_value_is_not_replaced_again(self) -> None:
        assert "Greet [PR2_ID], 7" in self.prompt(1, NAME="[PR2_ID]", PR2_ID=7)

    def test_s34_digits_are_accepted(self) -> None:
        assert ", 7," in self.prompt(1, NAME="Ada", PR2_ID=7)

    def test_s35_assertions_and_outputs_are_shown_as_written(self) -> None:
        assert "2. it is [NAME]" in self.prompt(1, NAME="Ada")


class TestWorkflow:
    def test_steps_follow_each_other_and_fail_to_failed(self) -> None:
        workflow = read(step("A") + step("B")).workflow
        assert [(e.source, e.target, isinstance(e.guard, OnError)) for e in workflow.edges] == [
            ("step_0", "step_1", False),
            ("step_0", "failed", True),
            ("step_1", "end", False),
            ("step_1", "failed", True),
        ]

    def test_s32_an_input_that_no_step_writes_is_asked_of_the_caller(self) -> None:
        result = read(step("Do", "### 📥 INPUTS:\n- CITY: where\n"))
        assert [(p.name, p.required, p.description) for p in result.workflow.params] == [
            ("CITY", True, "where")
        ]
        assert [(d.code, d.severity) for d in result.diagnostics] == [("FC3001", "warning")]

    def test_the_last_steps_outputs_are_the_result(self) -> None:
        out = "### 📤 OUTPUTS:\n- r → {}\n"
        workflow = read(step("A", out.format("A")) + step("B", out.format("B"))).workflow
        assert workflow.outputs == ("B", "A")

    def test_an_assertion_over_results_is_measured_and_prose_is_not(self) -> None:
        node = only(
            step("Do", "### ✅ ASSERT:\n- result.n > 1\n- `read_file.n` > 1\n- it is fine\n")
        )
        assert [a.expr is None for a in node.asserts][0::2] == [False, True]

    def test_a_placeholder_in_a_measured_assertion_is_the_value(self) -> None:
        text = TestPrompt.FULL.replace("it is [NAME]", 'result.name == "[NAME]"')
        assertion = steps(text)[1].asserts[1]
        assert assertion.text == 'result.name == "[NAME]"'
        assert assertion.expr is not None
        assert evaluate(assertion.expr, {"result": {"name": "Ada"}, "NAME": "Ada"}) is True


def test_an_assertion_may_read_what_its_own_step_reports_and_its_tools() -> None:
    """They are there when it is measured, though nothing wrote them before the step."""
    sections = "### 📤 OUTPUTS:\n- r.n → N\n", "### ✅ ASSERT:\n- N > 1\n- read_file.size == N\n"
    assert read(step("Do", *sections)).diagnostics == ()
