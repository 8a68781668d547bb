"""The demo's texts: the same for the same labels, 125 of each topic, in the corpus's order."""

from collections import Counter

from embedlab.documentation.docstrings import TOPICS as ALL_TOPICS
from embedlab.documentation.topics import TEXTS_EACH, TOPICS, drawn_rows


def test_the_topics_are_twelve_of_those_that_docs_has():
    assert len(TOPICS) == len(set(TOPICS)) == 12 and set(TOPICS) < set(ALL_TOPICS)


def test_as_many_texts_of_each_topic_are_drawn_and_all_of_a_small_one():
    labels = [topic for topic in ("Building extensions", *TOPICS) for _ in range(200)]
    labels += ["", "Arrays"]
    labels = [label for row, label in enumerate(labels) if label != TOPICS[-1] or row % 2]  # 100 are left
    rows = drawn_rows(labels)
    assert rows == sorted(set(rows)) == drawn_rows(labels)
    expected = dict.fromkeys(TOPICS, TEXTS_EACH) | {TOPICS[-1]: 100}
    assert Counter(labels[row] for row in rows) == expected
    drawn = [row for row in rows if labels[row] == "Arrays"]
    assert drawn != [row for row, label in enumerate(labels) if label == "Arrays"][:TEXTS_EACH]  # not the first ones


def test_a_topic_is_drawn_from_alone():
    """What other topics have does not change which texts of this one are drawn."""
    of_tables = ["Tables"] * 300
    alone = drawn_rows(of_tables)
    after_others = drawn_rows(["Charts"] * 50 + of_tables)
    assert [row - 50 for row in after_others if row >= 50] == alone
