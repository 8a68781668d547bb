"""A run is renamed and gets a note, by the page and by the command line; what it was told stays."""

import pytest

from embedlab.cli import main
from embedlab.runs.store import NAME_CHARACTERS, rename_run, stored_request
from embedlab.runs.tags import set_tags, tags_of


def test_the_page_keeps_name_and_note_and_shows_them(open_page, made_run):
    run = made_run(name="first try")
    told = stored_request(run).settings
    at = open_page("result", run=run.id)
    at.run()
    at.text_input(key=f"renaming.name-{run.id}").set_value("batch 64")
    at.text_area(key=f"renaming.note-{run.id}").set_value("the one for the *lecture*")
    next(button for button in at.button if button.label == "Keep").click().run()
    assert not at.exception
    asked = stored_request(run)
    assert (asked.name, asked.note, asked.settings) == ("batch 64", "the one for the *lecture*", told)
    said = [caption.value for caption in at.caption]
    assert (
        "batch 64" in at.selectbox(key="run_picker").options[0] and r"the one for the \*lecture\*" in said
    )  # not Markdown


def test_a_name_is_one_line_of_at_most_so_many_characters(made_run):
    run = made_run()
    rename_run(run, " two\nlines " + "x" * 200)
    assert stored_request(run).name.startswith("two lines xxx") and len(stored_request(run).name) == NAME_CHARACTERS


@pytest.mark.parametrize(("more", "note"), [((), "kept"), (("--note", "new"), "new")])
def test_the_command_line_renames_too(made_run, more, note):
    run = made_run()
    rename_run(run, "a", "kept")
    assert main(["runs", "rename", run.id, "b", *more]) == 0
    assert (stored_request(run).name, stored_request(run).note) == ("b", note)


def test_the_page_keeps_tags_and_shows_them_as_plain_text(open_page, made_run):
    run, other = made_run(), made_run()
    set_tags(other, ["lecture"])
    at = open_page("result", run=run.id)
    at.run()
    tags = at.multiselect(key=f"renaming.tags-{run.id}")
    assert tags.options == ["lecture"]
    tags.set_value(["lecture", "*new*"])
    next(button for button in at.button if button.label == "Keep").click().run()
    assert not at.exception and tags_of(run) == ["lecture", "*new*"]
    assert ":gray-badge[lecture] :gray-badge[\\*new\\*]" in [each.value for each in at.markdown]


def test_runs_are_filtered_and_tagged_together(open_page, made_run):
    one, other = made_run(name="one"), made_run(name="other")
    set_tags(one, ["lecture"])
    at = open_page("runs")
    assert not at.exception
    at.multiselect(key="runs.only-tags").set_value(["lecture"]).run()
    assert [list(each.value["run"]) for each in at.dataframe] == [["one"]]
    assert list(at.dataframe[0].value["tags"]) == ["lecture"]
    at.multiselect(key="runs.only-tags").set_value([]).run()
    at.session_state["runs.table--"] = {"selection": {"rows": [0, 1], "columns": [], "cells": []}}
    at.run()
    at.multiselect(key="runs.tags-add").set_value(["both"])
    at.multiselect(key="runs.tags-remove").set_value(["lecture"])
    next(button for button in at.button if button.label == "Tag 2 runs").click().run()
    assert not at.exception and tags_of(one) == tags_of(other) == ["both"]


def test_the_command_line_tags_too(made_run):
    run = made_run()
    assert main(["runs", "tag", run.id, "lecture, batch 64"]) == 0
    assert main(["runs", "tag", run.id, "Lecture", "--remove"]) == 0
    assert tags_of(run) == ["batch 64"]
