"""Whatever a step document says, it is read back as it was meant, and every span names its text."""

from __future__ import annotations

from flowc.compiler.driver import compile_text
from flowc.compiler.ir import AgentNode
from flowc.compiler.source.source import Span
from hypothesis import given, settings
from hypothesis import strategies as st

LINE = st.from_regex(r"[A-Za-z][A-Za-z0-9_ .,:;\[\]\"'=<`#é🔧]{0,24}", fullmatch=True).map(
    str.strip
)
NAMES = st.lists(st.from_regex(r"[A-Z][A-Z0-9_]{0,8}", fullmatch=True), unique=True, max_size=3)
STEP = st.fixed_dictionaries(
    {
        "name": LINE,
        "body": st.lists(LINE.filter(lambda line: "```" not in line), min_size=1, max_size=3),
        "tools": st.lists(LINE, min_size=1, max_size=3),
        "inputs": NAMES,
        "outputs": NAMES,
        "texts": st.lists(LINE, min_size=3, max_size=3),
        "asserts": st.lists(LINE, max_size=3),
    }
)


def written(step: dict, bullet: str, gap: str) -> str:
    """The step as a document would have it."""
    parts = [f"### 🔧 WORKFLOW STEP: {step['name']}", "```", *step["body"], "```"]
    sections = {
        "🛠️ TOOLS": step["tools"],
        "📥 INPUTS": [f"{n}:{gap}{t}" for n, t in zip(step["inputs"], step["texts"], strict=False)],
        "📤 OUTPUTS": [
            f"{t} →{gap}{n}" for n, t in zip(step["outputs"], step["texts"], strict=False)
        ],
        "✅ ASSERT": step["asserts"],
    }
    for heading, items in sections.items():
        if items:
            parts += ["", f"### {heading}:", *(f"{bullet}{gap}{item}" for item in items)]
    return "\n".join((*parts, "", ""))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(STEP, min_size=1, max_size=3),
    st.sampled_from(["-", "*", "1.", "  -"]),
    st.sampled_from([" ", "  ", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_document_is_read_as_it_was_written(steps, bullet, gap, end) -> None:
    text = "".join(written(step, bullet, gap) for step in steps).replace("\n", end)
    result = compile_text(text, "main.md", format="steps")
    assert not [d for d in result.diagnostics if d.code.startswith("FC1")]
    nodes = [n for n in result.workflow.nodes if isinstance(n, AgentNode)]
    assert len(nodes) == len(steps)

    def at(span: Span | None) -> str:
        assert span is not None
        return text[span.start : span.end]

    for node, step in zip(nodes, steps, strict=True):
        texts = step["texts"]
        assert node.title == at(node.span) == step["name"]
        assert node.description == "\n".join(step["body"]).strip()
        assert list(node.tools) == step["tools"]
        assert [(i.name, i.description) for i in node.inputs] == [
            *zip(step["inputs"], texts, strict=False)
        ]
        assert [(o.source, o.name) for o in node.outputs] == [
            *zip(texts, step["outputs"], strict=False)
        ]
        assert [at(i.span) for i in node.inputs] == step["inputs"]
        assert [at(o.span) for o in node.outputs] == step["outputs"]
        assert (
            [a.text for a in node.asserts] == [at(a.span) for a in node.asserts] == step["asserts"]
        )
