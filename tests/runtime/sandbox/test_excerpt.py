"""Keeping the ends of long outputs."""

from __future__ import annotations

from flowc.runtime.sandbox.excerpt import Excerpt


def test_an_excerpt_shows_both_ends_and_counts_what_is_missing():
    excerpt = Excerpt(10)
    for piece in (b"01234", b"5678", b"9abcdefgh", b"ij"):
        excerpt.add(piece)
    assert excerpt.text() == "01234\n[… 10 bytes cut …]\nfghij"


def test_an_excerpt_never_shows_half_a_character():
    excerpt = Excerpt(10)
    excerpt.add("äöüäöüäöü".encode())
    text = excerpt.text()
    assert "\ufffd" not in text
    assert text.startswith("äö\n[…")
    assert text.endswith("…]\nöü")


def test_an_excerpt_of_little_is_the_whole():
    excerpt = Excerpt(10)
    excerpt.add(b"0123456789")
    assert excerpt.text() == "0123456789"
