"""What people say to set the tags of a file."""

from __future__ import annotations

_FIELDS = {
    "title": "title|titel|name|track title|song title|songtitel",
    "artist": "artist|interpret|interpretin|künstler|künstlerin",
    "album": "album|album title|albumtitel",
    "date": "date|year|datum|jahr",
    "genre": "genre",
    "tracknumber": "track number|tracknumber|track|titelnummer|tracknummer",
    "copyright": "copyright",
    "comment": "comment|kommentar",
}
"""What people call the tags."""
TAG_WORDS = frozenset(word for words in _FIELDS.values() for word in words.split("|"))
NAMED_FIELDS = frozenset(
    word
    for field in ("title", "artist", "album", "genre")
    for word in _FIELDS[field].split("|")
    if word != "name"
)
"""Those that a name may follow without quotes."""
DATE_FIELDS = frozenset(_FIELDS["date"].split("|"))
NUMBER_FIELDS = frozenset({"tracknumber", "titelnummer", "tracknummer", "track number"})
LINKS = frozenset(
    [
        "tag",
        "field",
        "feld",
        "bitte",
        "please",
        "should",
        "soll",
        "shall",
        "be",
        "to",
        "as",
        "auf",
        "called",
        "named",
        "heißen",
        "read",
        "say",
        "on",
        "noch",
    ]
)
"""Words between a field and its name."""
WRITES = frozenset(
    [
        "trag",
        "trage",
        "schreib",
        "schreibe",
        "put",
        "write",
        "set",
        "setz",
        "setze",
        "enter",
        "use",
        "nimm",
        "nehme",
        "add",
        "gib",
        "give",
        "fill",
        "verwende",
        "bitte",
        "please",
        "noch",
        "tag",
    ]
)
"""Verbs before a name that is written as a field."""

_WRITE = (
    "[(metadata|metadaten|tags|tag IT) :|SET|tag IT|tag IT with|add|with|mit|and|mit dem|"
    "with the tags|with tags|tags|als|"
    "(trag|trage|schreib|schreibe|write|put|enter|setz|setze|fill in|use) [bitte|please] "
    "[als|as]]"
)
_WHERE = "[in (die|den|das|the|my|meine) (datei|tags|metadaten|file|metadata|tag)]"
_DONE = "[setzen|eintragen|sein|lauten|heißen|ein|schreiben|in|rein]"
_LINK = (
    "[should|soll|shall] [be] [called|named] [to|of|as|is|be|read|say|auf|=|:]"
)  # fmt: skip
TAG_PHRASES = (
    *(
        phrase
        for name, words in _FIELDS.items()
        for phrase in (
            f"{_WRITE} THE ({words}) [tag|field|feld] [bitte|please] {_LINK} "
            f"{{{name}:text}} {_WHERE} {_DONE}",
            "[with|mit|SET|put|write|called|named|use|enter|nimm|verwende|(schreib|schreibe|trag|"
            f"trage|setz|setze) [bitte]] [please] {{{name}:text}} [in|ein] (as|in|into|als|ins|"
            f"in das|für den|für das) THE ({words}) [tag|field|feld|tag-feld] {_WHERE} {_DONE}",
        )
    ),
    "(name|call) IT {title:text} [in THE title [tag|field]]",
    "IT (titled|entitled|called|named|namens|betitelt|title IT) {title:text}",
)
