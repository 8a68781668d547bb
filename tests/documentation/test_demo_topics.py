"""The demo's texts: the same for the same names, 125 of each topic, in the corpus's order."""

from collections import Counter

from embedlab.documentation.docstrings import TOPICS as ALL_TOPICS
from embedlab.documentation.topics import TEXTS_EACH, TOPICS, drawn_rows


def named(labels: list[str]) -> list[str]:
    """A name of its own for each text, which says its topic."""
    return [f"{label}.{row}" for row, label in enumerate(labels)]


def test_the_topics_are_twelve_of_those_that_docs_has():
    assert len(TOPICS) == len(set(TOPICS)) == 12 and set(TOPICS) < set(ALL_TOPICS)


def test_as_many_texts_of_each_topic_are_drawn_and_all_of_a_small_one():
    labels = [topic for topic in ("Building extensions", "", *TOPICS) for _ in range(200)]
    labels = labels[:-100]  # of the last topic 100 are left
    rows = drawn_rows(labels, named(labels))
    assert rows == sorted(set(rows))
    assert Counter(labels[row] for row in rows) == dict.fromkeys(TOPICS, TEXTS_EACH) | {TOPICS[-1]: 100}
    of_arrays = [row for row in rows if labels[row] == "Arrays"]
    assert of_arrays != [row for row, label in enumerate(labels) if label == "Arrays"][:TEXTS_EACH]  # not the first


def test_which_texts_are_drawn_depends_on_their_names_alone():
    """In another order, and beside other topics, the same; of a new release with one more, all but one at most."""
    labels = ["Tables"] * 300
    names = named(labels)
    drawn = {names[row] for row in drawn_rows(labels, names)}
    turned = names[::-1]
    assert {turned[row] for row in drawn_rows(labels, turned)} == drawn
    more_labels, more_names = ["Charts", *labels, "Tables"], ["a chart", *names, "Tables.new"]
    drawn_again = {more_names[row] for row in drawn_rows(more_labels, more_names)}
    assert "a chart" in drawn_again and len(drawn - drawn_again) <= 1
