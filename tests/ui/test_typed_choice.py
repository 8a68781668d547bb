"""What is typed into a list: a part of a name takes the option, a reference stands for itself, the rest is refused."""

import pytest
from doing import queued
from seen import words

from embedlab.encoder_catalog.names import is_reference
from embedlab.ui.frame.typed_choice import matching_option

NAMES = {"words": "Words of the corpus", "mpnet": "MPNet · 532 MB", "sbert": "SBERT (all-mpnet-base-v2)", "b": "BERT"}


@pytest.mark.parametrize(
    ("typed", "option"),
    [
        ("mpnet", "mpnet"),  # a key, although another name has it too
        ("MPN", "mpnet"),  # the first name that has it
        ("all-mpnet", "sbert"),
        ("  bert ", "b"),  # a whole name comes before a part of an earlier one
        ("of the", "words"),
        ("owner/name", "owner/name"),
        ("hf:owner/name@v1", "hf:owner/name@v1"),
        ("run:0abc", "run:0abc"),
        ("nothing like it", None),
        ("", None),
    ],
)
def test_a_typed_text_means_an_option_itself_or_nothing(typed, option):
    assert matching_option(typed, NAMES, is_reference) == option


def test_a_folder_here_is_a_reference_and_odd_paths_are_none(tmp_path):
    assert is_reference(str(tmp_path)) and is_reference("https://huggingface.co/owner/name")
    assert not any(map(is_reference, ("mpn", "~nobody-here/x", "a" * 5_000, "nul\0l", "page:1")))


@pytest.fixture
def unworked(monkeypatch):
    """What a page starts is queued, and no process works at it."""
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)


def type_into(at, *texts: str) -> None:
    """Type into the encoder's list; Streamlit's tester only takes what a list has."""
    for text in texts:
        box = at.selectbox(key="train.encoder")
        box.options.append(text)
        box.set_value(text).run()
    assert not at.exception


def test_part_of_an_encoders_name_takes_it_and_what_is_in_no_name_changes_nothing(open_page, toy_corpus, unworked):
    at = open_page("train")
    type_into(at, "bert ti")
    assert at.selectbox(key="train.encoder").value == "scratch:bert-tiny"
    type_into(at, "no such encoder")
    assert at.selectbox(key="train.encoder").value == "scratch:bert-tiny"
    assert "“no such encoder”" in words(at)
    type_into(at, "owner/name")
    assert at.selectbox(key="train.encoder").value == "owner/name" and "no such encoder" not in words(at)


def test_the_lists_of_several_do_the_same(open_page, toy_corpus, unworked):
    at = open_page("sweep")
    at.selectbox(key="studies.series-temperature").set_value("encoder").run()
    (box,) = (each for each in at.multiselect if each.label == "Encoders")
    box.options.extend(typed := ["bert mini", "owner/name", "no such encoder"])
    box.set_value(typed).run()
    (box,) = (each for each in at.multiselect if each.label == "Encoders")
    assert box.value == ["scratch:bert-mini", "owner/name"] and "“no such encoder”" in words(at)
