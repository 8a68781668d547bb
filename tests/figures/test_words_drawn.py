"""The pictures of embedding, kNN accuracy and TF-IDF: well-formed with any text, readable, and their sentence."""

from xml.etree import ElementTree

import numpy as np
import pytest

from embedlab.figures.words_drawn import WIDE, Voter, embedding_drawn, shared_words_drawn, vote_drawn
from embedlab.palette import ACCENT

ODD = ['a "quoted" <b>text</b> & more\nlines of it, long enough to need a third line', "", "𝕏" * 90, "a.b.c" * 30]


def texts_of(drawing) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(drawing.svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("dark", [False, True])
def test_any_name_gives_a_picture(name, dark):
    points = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    placed = embedding_drawn(
        name, points=points, in_topic=np.array([True, False, True]), at=2, colour=ACCENT, dark=dark
    )
    voted = vote_drawn(name, "x", [Voter(name, name, ACCENT)] * 3, name, dark=dark)
    shared = shared_words_drawn(name.split(), ["more", name], {"more"}, dark=dark)
    for each in (placed, voted, shared):
        assert ElementTree.fromstring(each.svg).attrib["width"] == str(WIDE) and each.alt
        assert "nan" not in each.svg


def test_the_vote_is_told_and_counted():
    voters = [Voter("one", "judge", ACCENT), Voter("two", "boat", ACCENT), Voter("three", "judge", ACCENT)]
    right = vote_drawn("mine", "judge", voters, "judge")
    assert (
        "2 of 3 vote for judge: ✓ right" in texts_of(right)
        and "two (boat); three (judge). 2 of 3 vote for judge" in right.alt
    )
    assert "2 of 3 vote for judge: ✗ wrong" in texts_of(vote_drawn("mine", "boat", voters, "judge"))


def test_words_that_both_texts_have_stand_in_boxes():
    drawn = shared_words_drawn(["The", "Judge,", "sat"], ["the", "judge", "stood"], {"judge"})
    boxes = list(ElementTree.fromstring(drawn.svg).iter("{http://www.w3.org/2000/svg}rect"))
    assert len(boxes) == 4 and len({box.attrib["stroke"] for box in boxes}) == 2
    assert drawn.alt.endswith("Words in both: judge, the.")
