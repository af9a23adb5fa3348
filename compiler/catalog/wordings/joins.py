"""What people say to join files, to mix one in, and to cut one at points."""

from __future__ import annotations

_VOICE = "(voice|speech|dialogue|dialog|talking|narration|vocals)"
_STIMME = "(stimme|sprache|sprecherin|sprecher|rede)"
_LOWER = (
    f"(lower [than (the|my) {_VOICE}]|quieter [than (the|my) {_VOICE}]|"
    f"below [it|(the|my) {_VOICE}]|"
    f"softer|down|leiser [als (die|meine|der) {_STIMME}]|unter (der|meiner|dem) {_STIMME}|tiefer|"
    "darunter)"
)
_FADE = "(crossfade|cross-fade|überblendung)"
_CROSS = (
    "[[,|and|und] [each|both|je|jeweils] (with|mit) [a|an|einer] ([{crossfade_s}] "
    f"{_FADE}|{_FADE} (of|over|von|über) {{crossfade_s}})]"
)
_FIRST = (
    "(before [SELF]|in front of SELF|at the start|at the beginning|in front|up front|davor|"
    "vorne dran|vor SELF|an den anfang|am anfang)"
)
_LAST = (
    "(after [SELF]|behind [SELF]|at the end|on the end|dahinter|danach|hinten dran|hinten an|"
    "hinter SELF|nach SELF|ans ende|am ende|hinten)"
)
_PUT = "[put|play|add|attach|set|setz|setze|häng|hänge|spiel|spiele] [doch] [bitte]"
_NEXT = "(and|then|und|dann|,)"
JOIN_PHRASES = (
    "(join|concatenate|concat|merge|combine|verbinde|füge|hänge) {first:file} "
    f"(and|with|und|mit|,) {{second:file}} [together|zusammen|aneinander] {_CROSS}",
    f"(append|attach|hänge) {{second:file}} [to IT|[at|to] the end|an|hinten an] {_CROSS}",
    "(add|put|append) {second:file} (at the end|to the end|after IT|behind IT|ans ende) "
    f"{_CROSS}",
    "(add|put|prepend|setze|glue|stick|place|attach|insert) {first:file} (before [IT]|in front "
    "[of (IT|the (episode|recording|talk|song|track|interview))]|at THE START|an den "
    f"anfang|davor) {_CROSS}",
    f"prepend {{first:file}} {_CROSS}",
    # One before it and one behind it.
    f"{_PUT} {{first:file}} {_FIRST} (and|und|,) {{last:file}} {_LAST} {_CROSS}",
    f"[kommt|comes|play|spiel] {{first:file}} [[,] {_NEXT} SELF] ([,] {_NEXT} [ganz] (at the very "
    "end|at the end|at last|zum schluss|am schluss|am ende|ans ende)|finally|schließlich) "
    "[comes|kommt] {last:file}",
    "(start|begin|beginne|fang) with {first:file} [,] (then|and) SELF",
    "[kommt|comes|play|spiel] {first:file} [first|zuerst] [,] (then|dann) SELF [,] (then|dann) "
    "{last:file}",
    # Two behind it.
    "(join|combine|merge|concatenate) IT with {second:file} (and|,) {third:file} [[,] in "
    "(that|this) order]",
    f"(append|attach) {{second:file}} (and|then|,) {{third:file}} [to IT|[at|to] the end] {_CROSS}",
    f"(add|put) {{second:file}} (and|then|,) {{third:file}} (at the end|to the end|after IT) "
    f"{_CROSS}",
    f"(häng|hänge) {{second:file}} (und|dann|,) {{third:file}} (an|hinten an|ans ende|hinten dran) "
    f"{_CROSS}",
    f"{{second:file}} (und|dann|,) {{third:file}} (hinten dran|hinten anhängen|anhängen|ans ende) "
    f"{_CROSS}",
    # Both are named.
    f"{_PUT} {{second:file}} [right|directly|straight|direkt|gleich] (after|behind|hinter|nach) "
    f"{{first:file}} {_CROSS}",
    f"(häng|hänge) {{second:file}} (an|hinten an|hinten dran) {_CROSS}",
)
_AT = (
    "[,] ((at|from|starting at|starting from|starting|beginning at|coming in at|entering at|"
    "kicking in at|ab|bei|in at) ({at_s:s}|(second|"
    "sekunde) {at_s:seconds}) [on|onwards])"
)
_LESS = (
    "[[,|and|und] [zwar] {-less_db:db} (lower|quieter|softer|down|leiser|tiefer|darunter)|"
    "[,|and] [it] (turned down|down|lowered|reduced) "
    "[by] {-less_db:db}|[,|and] [it] (turned up|up|raised|boosted) [by] {+less_db:db}]"
)
_BELOW = f"[[,] {{below_db}} {_LOWER}]"
_UNDER = "(under|underneath|below|behind|beneath|unter)"
_TOP = "(on top [of it]|over it|over the top)"
_OVER = "(drüber|darüber|drauf|obendrauf)"
_ONTO = "(dazumischen|reinmischen|einmischen|beimischen|zumischen|drüberlegen|drauflegen)"
MIX_PHRASES = (
    f"(put|lay|place|mix|add|play|run|lege|leg|mische) {{second:file}} {_UNDER} IT [with|at] "
    f"{_BELOW} {{below_db=12}}",
    f"(put|lay|place|mix|add|play|run|lege|leg|mische) {{second:file}} {_UNDER} IT {_AT} "
    "{below_db=12}",
    f"(lege|leg|misch|mische) {{second:file}} {_AT} (darunter|drunter) {{below_db=12}}",
    "(add|use|put|nimm) {second:file} (as|als) [the] (background [music]|music bed|bed|"
    f"hintergrund|hintergrundmusik) {_BELOW} {{below_db=12}}",
    *(
        f"{way} {how}"
        for way, how in (
            ("(mix|blend) in {second:file}", _BELOW),
            ("(mix|blend) {second:file} (in|into it)", _BELOW),
            ("(misch|mische) {second:file} (dazu|hinein|rein|ein|drüber)", _BELOW),
            ("(mix|blend) IT with {second:file}", _BELOW),
            ("(mix|blend) in {second:file}", f"{_AT} {_LESS}"),
            ("(mix|blend) {second:file} (in|into it)", f"{_AT} {_LESS}"),
            ("(mix|blend) IT with {second:file}", f"{_AT} {_LESS}"),
            ("(mix|blend) IT with {second:file}", _LESS),
            ("(mix|blend) in {second:file}", _LESS),
            ("(mix|blend|add|layer) {second:file} in [with IT]", _LESS),
            (f"(misch|mische) {{second:file}} {_AT} (dazu|hinein|rein|ein|{_OVER})", _LESS),
            (f"(add|lay|put|play|layer) {{second:file}} {_TOP}", f"[{_AT} {_LESS}]"),
            ("overlay {second:file}", f"[{_AT} {_LESS}]"),
            (f"(let|have) {{second:file}} (come in|start|begin|play) {_AT}", _LESS),
            (f"(leg|lege) {{second:file}} [{_AT}] {_OVER}", ""),
            (f"(spiel|spiele) {{second:file}} {_AT} dazu", _LESS),
            (f"bring {{second:file}} in {_AT}", _LESS),
            (f"(leg|lege) {{second:file}} {_AT} {_OVER}", _LESS),
            (f"{{second:file}} {_AT} {_ONTO}", _LESS),
            (f"{{second:file}} {_ONTO}", ""),
        )
    ),
)
_PARTS = "(files|parts|pieces|tracks|dateien|teile|stücke)"
_SOME = "separate|several|individual|single|einzelne|mehrere"
_SPLIT = "(split|divide|split up|teile|teil|trenne|zerteile|zerlege)"
_CUT = "(cut|chop|schneide|schneid)"
_TO_SPLIT = "(teilen|trennen|zerteilen|zerlegen|aufteilen|splitten)"
_NAMES = ("first_s", "second_s", "third_s", "fourth_s", "fifth_s", "sixth_s")


def _points(count: int) -> str:
    each = [f"({{{name}:s}}|{{{name}:alike}})" for name in _NAMES[:count]]
    return " (and|und|,) [at|bei] ".join(each)


def _split_at(count: int) -> tuple[str, ...]:
    """Return phrases for a number of points, which make one part more."""
    at = f"(at|bei) {_points(count)}"
    into = f"(into|in) ([{count + 1}|{_SOME}] {_PARTS}|{count + 1})"
    return (
        f"{_SPLIT} IT [{into}] {at} [auf]",
        f"{_SPLIT} IT {at} [{into}] [auf]",
        f"{_CUT} IT {into} {at}",
        f"{_CUT} IT {at} {into}",
        f"{at} [{into}] {_TO_SPLIT}",
        f"{at} {into} schneiden",
        f"{into} (teilen|schneiden|trennen) {at}",
    )


POINT_PHRASES = (
    *(phrase for count in range(1, len(_NAMES) + 1) for phrase in _split_at(count)),
    f"bei minute {{minute:seconds}} [in ([2|{_SOME}] {_PARTS}|2)] {_TO_SPLIT}",
    f"bei minute {{minute:seconds}} in ([2|{_SOME}] {_PARTS}|2) schneiden",
)


def join_arguments(said: dict[str, object]) -> dict[str, object]:
    """Return the arguments for the named files; the empty name is the sound itself."""
    inputs = [said.pop("first", ""), said.pop("second", ""), *_further(said)]
    return {"inputs": inputs, **said}


def _further(said: dict[str, object]) -> list[object]:
    return [said.pop(name) for name in ("third", "last") if name in said]


def mix_arguments(said: dict[str, object]) -> dict[str, object]:
    """Return the arguments for a file that is mixed in: below the sound and no longer than it, or
    as loud as it is, from its start or from a second on."""
    below, at, less = (said.pop(name, None) for name in ("below_db", "at_s", "less_db"))
    found: dict[str, object] = {"inputs": ["", said.pop("second")], **said}
    if isinstance(below, int | float):
        found |= {"below_db": abs(below), "length": "first"}
    if at is not None:
        found["offsets_s"] = [0, at]
    if less is not None:
        found["gains_db"] = [0, less]
    return found


def point_arguments(said: dict[str, object]) -> dict[str, object]:
    """Return the arguments for the points at which a file is cut."""
    if isinstance(minute := said.get("minute"), int | float):
        return {"points_s": [minute * 60]}
    return {"points_s": [said[name] for name in _NAMES if name in said]}
