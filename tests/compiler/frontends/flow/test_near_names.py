"""Names and values of flow YAML that are nearly what was meant: their lines, and what to write."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text

GOOD = """flow: 1
params: {topic: text, names: list}
state: {RESULT: text}
scripts:
  marks:
    source: |
      export function grade(words) { return words > 3 ? 'long' : 'short'; }
nodes:
  - name: judge
    agent: judge
    prompt: How good is {{ topic }}?
    schema:
      type: object
      required: [mark]
      properties:
        mark: {type: number}
    into: judged
  - name: again
    agent: judge
    prompt: And now?
    into: RESULT
  - name: grade
    script: marks
    function: grade
    args: [length(names)]
    into: grade
  - name: mood
    ask: Calm or angry?
    choices: [calm, angry]
    into: mood
  - name: way
    choose: upper(mood)
    cases:
      CALM: each
      ANGRY: save
  - name: each
    foreach: names
    do: one
    item: name
    with: {tone: mood}
    into: replies
  - name: save
    exec: tee {{ topic }}
    into: saved
    next: end
outputs: [judged, RESULT, grade, saved]
workflows:
  one:
    params: {name: text, tone: text}
    outputs: [reply]
    nodes:
      - name: write
        agent: writer
        prompt: Write to {{ name }} in a {{ tone }} voice.
        into: reply
"""


def told(text: str) -> list[tuple[set[int], str]]:
    result = compile_text(text, "main.flow.yaml")
    return [
        (
            {text.count("\n", 0, at.start) + 1 for at in (d.primary, *(x.span for x in d.labels))},
            f"{d.message} {d.help}",
        )
        for d in result.diagnostics
    ]


def test_the_good_one_is_good():
    assert told(GOOD) == []


@pytest.mark.parametrize(
    ("right", "wrong", "help"),
    [
        ("agent: judge\n    prompt: And", "agent: jugde\n    prompt: And", "did you mean `judge`?"),
        ("agent: writer", "agent: ${writer}", "did you mean `writer`?"),
        ("required: [", "requried: [", "did you mean `required`?"),
        ("properties:", "propetries:", "did you mean `properties`?"),
        ("function: grade", "function: GRADE", "did you mean `grade`?"),
        ("item: name", "item: nmae", "did you mean `name`?"),
        ("with: {tone: mood}", "with: {}", "with: {tone: …}"),
        ("do: one", "do:", "has no `do`"),
        ("CALM: each", "CLAM: each", "did you mean `CALM`?"),
        ("- name: save", "- name: svae", "did you mean `svae`?"),
        ("next: end", "next:", "nothing stands behind `next:`"),
        ("next: end", "next: judge, again", "write `[judge, again]`"),
        ("outputs: [reply]", "outputs: {reply}", "write `[reply]`"),
        ("outputs: [reply]", "outputs: reply, tone", "write `[reply, tone]`"),
        ("choices: [calm, angry]", "choices: calm, angry", "write `[calm, angry]`"),
        ("with: {tone", "args: {tone", "here it is `with:`"),
        ("{{ topic }}?", "{{ params.topic }}?", "did you mean `topic`?"),
        ("{{ topic }}?", "topic }}?", "write `{{ topic }}`"),
        ("{{ topic }}?", "(( topic ))?", "write `{{ topic }}`"),
        ("{{ topic }}?", "{{ 'topic' }}?", "write `{{ topic }}`"),
        ("tee {{ topic }}", "tee {topic}", "write `{{ topic }}`"),
        ("tee {{ topic }}", "tee ${topic}", "write `{{ topic }}`"),
        ("tee {{ topic }}", "tee %topic%", "write `{{ topic }}`"),
        ("    prompt: And now?\n", "", "asks nothing"),
        ("into: saved", "into: $saved", "write `saved`"),
        ("    exec: tee", "    ask: Well?\n    exec: tee", "make two nodes of it"),
        ("foreach: names", "map: names", "did you mean `foreach`?"),
        ("foreach: names", "each: names", "did you mean `foreach`?"),
        ("choose: upper(mood)", "match: upper(mood)", "did you mean `choose`?"),
        ("agent: writer", "assistant: writer", "did you mean `agent`?"),
        ("prompt: And now?", "user: And now?", "here it is `prompt:`"),
        ("into: saved", "register: saved", "here it is `into:`"),
        ("into: saved", "into: saved\n    if: saved", "`next: [{when: …, to: …}]`"),
        ("into: saved", "into: saved\n    needs: [way]", "the node before says what comes next"),
        ("into: saved", "into: saved\n    Type: Task", "a key of its own says what a node does"),
        ("nodes:\n  - name: judge", "edges: []\nnodes:\n  - name: judge", "behind `next:`"),
        ("nodes:\n  - name: judge", "StartAt: x\nnodes:\n  - name: judge", "here it is `start:`"),
        ("tee {{ topic }}", "tee {{ replies.size }}", "write `length(replies)`"),
        ("length(names)", "contains(names)", "write `text contains part`"),
        ("length(names)", "isEmpty(names)", "write `length(value) == 0`"),
    ],
)
def test_it_is_told_in_its_line(right, wrong, help):
    assert right in GOOD
    at = GOOD[: GOOD.index(right)].count("\n") + 1
    found = told(GOOD.replace(right, wrong, 1))
    assert [one for one in found if {at, at - 1, at + 1} & one[0] and help in one[1]], found


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("tee {{ topic }}", "topic=$(date); tee $topic {{ topic }}"),
        ("tee {{ topic }}", "awk '{topic}' {{ topic }}"),
        ("tee {{ topic }}", "tee $TOPIC {{ topic }}"),
        ("agent: writer", "agent: writers"),
        ("ask: Calm or angry?", "ask: Calm, angry, or what?"),
    ],
)
def test_what_may_be_meant_is_left_alone(right, wrong):
    assert right in GOOD
    assert told(GOOD.replace(right, wrong, 1)) == []
