"""The rows of the audio tools: each is a line of the documentation."""

from __future__ import annotations

from pathlib import Path

from flowc.compiler.catalog.audio_tools import AUDIO_TOOLS

PAGE = Path(__file__).parents[3] / "docs/audio.md"
HEAD = "| tool | does | channels | minutes |\n| --- | --- | --- | --- |\n"


def table() -> str:
    """The tools as the documentation lists them."""
    return HEAD + "".join(
        f"| {tool.name.upper()} | {tool.about.replace('|', chr(92) + '|')} "
        f"| {tool.most_channels} | {tool.most_minutes} |\n"
        for tool in AUDIO_TOOLS
    )


def test_the_generated_table_of_audio_tools_is_up_to_date(golden):
    page = PAGE.read_text(encoding="utf-8")
    start = page.index(HEAD)
    end = page.index("\n\n", start) + 1
    golden(PAGE, page[:start] + table() + page[end:])
