"""Whatever is written: no exception but the promised one, no place outside the text."""

from __future__ import annotations

from flowc.compiler.expr.evaluate import EvaluationError, evaluate
from flowc.compiler.expr.parse import ParseFault, parse, parse_assertion
from flowc.compiler.expr.types import fold, infer
from flowc.compiler.expr.walk import walk
from found_faults import faults_in, operand_faults_in
from hypothesis import given, settings
from hypothesis import strategies as st

PIECES = (
    "a b result 1 0 2.5 'x' \"\" true null ( ) [ ] . , + - * / % == != < >= and or not ! in exists "
    "contains matches starts with length( coalesce( join( keys( number( order( '(' '[' \\ filter( "
    "map( sort( sum( item split( lines( slice( round( parse_json( parse_yaml( format( unique( max( "
    "captures( parse_time( add_time( time_between( values( [1,2] '{}' 'UTC' 'days'"
)
WORDS = st.sampled_from(PIECES.split())
TEXTS = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=14).map(" ".join))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
VARIABLES = st.fixed_dictionaries({"a": VALUES, "b": VALUES, "result": VALUES})


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, offset=st.integers(0, 1000))
def test_reading_never_raises_and_stays_inside_the_text(text, offset):
    expr = parse(text, "a.md", offset)
    parse_assertion(text, "a.md", offset)
    places = [expr.span] if isinstance(expr, ParseFault) else [at.span for at in walk(expr)]
    for span in places:
        assert offset <= span.start <= span.end <= offset + len(text)


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, variables=VARIABLES)
def test_evaluating_raises_evaluation_errors_only(text, variables):
    expr = parse(text, "a.md", 0)
    if isinstance(expr, ParseFault):
        return
    infer(expr, {})
    list(faults_in(expr))
    list(operand_faults_in(expr, {}))
    results = [_outcome(expr, variables), _outcome(fold(expr), variables)]
    assert results[0] == results[1]


def _outcome(expr, variables):
    try:
        return repr(evaluate(expr, variables))
    except EvaluationError as error:
        return f"fails: {error}"
