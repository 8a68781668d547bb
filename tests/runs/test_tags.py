"""Tags of runs: tidy, kept beside the name, found again."""

from embedlab.runs.list_rows import summary
from embedlab.runs.store import create_run, rename_run, stored_request
from embedlab.runs.tags import MOST_TAGS, change_tags, has_tags, set_tags, tags_in_use, tags_of, tidy_tags
from embedlab.store_root import read_json, write_json


def test_tags_are_tidy():
    assert tidy_tags([" two\nwords , Lecture", "lecture", "", ","]) == ["two words", "Lecture"]
    assert tidy_tags(["x" * 99]) == ["x" * 30]
    assert len(tidy_tags(f"tag {number}" for number in range(99))) == MOST_TAGS


def test_they_are_kept_beside_name_and_note_and_what_was_asked_stays(store):
    run = create_run("train", {"corpus": "docs"}, name="a")
    assert tags_of(run) == [] == summary(run).tags
    set_tags(run, ["lecture"])
    rename_run(run, "b", "a note")
    asked = stored_request(run)
    assert (asked.name, asked.note, asked.tags, asked.settings) == ("b", "a note", ["lecture"], {"corpus": "docs"})
    assert summary(run).tags == ["lecture"]


def test_many_runs_are_tagged_at_once_and_one_without_a_change_is_not_written(store):
    one, other = (create_run("train", {}, name=name) for name in "ab")
    set_tags(one, ["Lecture", "old"])
    change_tags([one, other], add=["lecture, new"], remove=["OLD"])
    assert tags_of(one) == ["Lecture", "new"] and tags_of(other) == ["lecture", "new"]
    written = one.settings.stat().st_mtime_ns
    change_tags([one], add=["new"])
    assert one.settings.stat().st_mtime_ns == written


def test_they_are_found_whatever_their_case_and_the_most_frequent_come_first():
    assert has_tags(["Lecture", "new"], ["lecture"]) and not has_tags(["Lecture"], ["lecture", "new"])
    assert has_tags([], [])
    assert tags_in_use([["b"], ["a", "c"], ["c"]]) == ["c", "a", "b"]


def test_what_another_program_wrote_there_is_no_tag(store):
    run = create_run("train", {})
    for tags in ("lecture", None, {"a": 1}):
        write_json(run.settings, read_json(run.settings) | {"tags": tags})
        assert tags_of(run) == []
    write_json(run.settings, read_json(run.settings) | {"tags": [1, "a"]})
    assert tags_of(run) == ["a"]


def test_a_note_or_tag_of_another_type_is_left_out(store):
    run = create_run("train", {"corpus": "x"})
    write_json(run.settings, read_json(run.settings) | {"note": ["a"], "session": 3, "tags": ["b", 4]})
    stored = stored_request(run)
    assert (stored.note, stored.session, stored.tags) == (None, None, ["b"])
