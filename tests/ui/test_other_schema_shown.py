"""Pages beside a run folder of another schema: its sentence where it is picked, and no page that fails."""

import pytest

from embedlab.store_root import read_json, write_json

PAGES = ["home", "maps", "evaluate", "layers", "length", "compare"]  # the others start a process for any run


@pytest.mark.parametrize("key", PAGES)
def test_a_page_says_why_the_picked_run_cannot_be_opened(open_page, made_run, key):
    readable, foreign = made_run("token", name="readable"), made_run("token")
    write_json(foreign.settings, read_json(foreign.settings) | {"schema": 1})
    at = open_page(key, run=foreign.id)
    assert not at.exception and any("another version of embedlab" in each.value for each in at.warning)
    at = open_page(key)  # the newest is the other one: nobody picked it
    assert at.session_state["run"] == readable.id
    said = [each.value for each in at.warning if "another version of embedlab" in each.value]
    assert not at.exception and len(said) == (1 if key == "home" else 0)  # Home names all that cannot be read
