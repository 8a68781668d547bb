"""The parts file is parsed once for all pages, and a file that was written anew is noticed."""

from embedlab.jobs.parts_file import parts_file, read_parts
from embedlab.store_root import write_json


def test_parts_are_read_once_and_a_new_file_is_noticed(store):
    assert read_parts() is None
    write_json(parts_file(), {"encoders": ["one"]})
    first = read_parts()
    assert first == {"encoders": ["one"]} and read_parts() is first
    write_json(parts_file(), {"encoders": ["one", "two"]})
    assert read_parts() == {"encoders": ["one", "two"]}
    parts_file().write_text('{"half', encoding="utf-8")
    assert read_parts() is None
