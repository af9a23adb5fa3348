"""Text of which every character knows where it stands, also after decoding.

A caption `"say #quot;hi#quot;"` is read as `say "hi"`; the places of its characters are those of
the text as written, so that an expression inside a caption is reported where its author sees it.
"""

from __future__ import annotations

import re

from ....source.records import dataclass


@dataclass(frozen=True, slots=True)
class PlacedText:
    """`text` and the offset of each of its characters. `places` has one offset more than the text
    has characters: the last one is where the text ends."""

    text: str
    places: range | tuple[int, ...]

    @property
    def brief(self) -> str:
        """The text for a message: on one line and not too long."""
        line = " ".join(self.text.split())
        return line if len(line) <= 60 else line[:59] + "…"

    @property
    def start(self) -> int:
        return self.places[0]

    @property
    def end(self) -> int:
        return self.places[-1]

    def __getitem__(self, part: slice) -> PlacedText:
        start, stop, _ = part.indices(len(self.text))
        stop = max(start, stop)
        return PlacedText(self.text[start:stop], self.places[start : stop + 1])

    def strip(self, characters: str | None = None) -> PlacedText:
        """Return the text without blanks (or `characters`) at both ends."""
        start = len(self.text) - len(self.text.lstrip(characters))
        return self[start : start + len(self.text.strip(characters))]

    def group(self, match: re.Match[str], name: str | int) -> PlacedText:
        """Return the part that a group took in a match over this text; the group must have
        matched."""
        return self[match.start(name) : match.end(name)]

    def partition(self, separator: str) -> tuple[PlacedText, PlacedText | None]:
        """Return what stands before the first separator and after it; None without a separator."""
        at = self.text.find(separator)
        if at < 0:
            return self, None
        return self[:at], self[at + len(separator) :]

    def replace(self, pattern: re.Pattern[str], by: dict[str, str] | str) -> PlacedText:
        """Replace every match by one text, or by that of its own lower-cased text in a table. A
        replacement stands where the match began."""
        matches = list(pattern.finditer(self.text))
        if not matches:
            return self
        text: list[str] = []
        places: list[int] = []
        at = 0
        for match in matches:
            new = by if isinstance(by, str) else by.get(match.group().lower(), match.group())
            text += [self.text[at : match.start()], new]
            places += [*self.places[at : match.start()], *[self.places[match.start()]] * len(new)]
            at = match.end()
        text.append(self.text[at:])
        places += self.places[at:]
        return PlacedText("".join(text), tuple(places))


def placed_text(text: str, start: int = 0) -> PlacedText:
    """Return a text that stands in one piece from `start`."""
    return PlacedText(text, range(start, start + len(text) + 1))
