"""A run is renamed and gets a note, by the page and by the command line; what it was told stays."""

import pytest

from embedlab.cli import main
from embedlab.runs.store import NAME_CHARACTERS, read_settings, rename_run


def test_the_page_keeps_name_and_note_and_shows_them(open_page, made_run):
    run = made_run(name="first try")
    told = read_settings(run)["settings"]
    at = open_page("result", run=run.id)
    at.run()
    at.text_input(key=f"renaming.name-{run.id}").set_value("batch 64")
    at.text_area(key=f"renaming.note-{run.id}").set_value("the one for the *lecture*")
    next(button for button in at.button if button.label == "Keep").click().run()
    assert not at.exception
    asked = read_settings(run)
    assert (asked["name"], asked["note"], asked["settings"]) == ("batch 64", "the one for the *lecture*", told)
    said = [caption.value for caption in at.caption]
    assert (
        "batch 64" in at.selectbox(key="run_picker").options[0] and r"the one for the \*lecture\*" in said
    )  # not Markdown


def test_a_name_is_one_line_of_at_most_so_many_characters(made_run):
    run = made_run()
    rename_run(run, " two\nlines " + "x" * 200)
    assert read_settings(run)["name"].startswith("two lines xxx") and len(read_settings(run)["name"]) == NAME_CHARACTERS


@pytest.mark.parametrize(("more", "note"), [((), "kept"), (("--note", "new"), "new")])
def test_the_command_line_renames_too(made_run, more, note):
    run = made_run()
    rename_run(run, "a", "kept")
    assert main(["runs", "rename", run.id, "b", *more]) == 0
    assert (read_settings(run)["name"], read_settings(run)["note"]) == ("b", note)
