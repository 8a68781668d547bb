"""Every page and every view, with a finished run on a corpus that is not as most are: nothing breaks."""

import pytest
from built_once import build_once, copied_into, original_of
from doing import queued
from odd_runs import LABELS, do, finished_run, odd_corpus, partly_labelled
from pydantic_core import to_jsonable_python
from seen import controls, maps
from streamlit.runtime.state.common import TESTING_KEY
from streamlit.testing.v1 import AppTest

from embedlab.errors import EmbedlabError
from embedlab.jobs.questions import give
from embedlab.runs.store import fingerprint_of, new_id, stored_request
from embedlab.store_root import read_json
from embedlab.tasks.questions import KINDS
from embedlab.ui.frame.navigation import TITLES

TYPED = {"maps.axis-x": "star comet", "maps.axis-y": "butter", "neighbors.typed": "A star near a rudder."}
BUTTONS = ("Draw the axes", "Find its nearest texts", "Random text")
SELECTS = ("maps.colour", "classes.label", "neighbor-classes.row", "maps.fade")  # the beginning of a key
HISTOGRAMS = "maps.histograms"
MOST_OPTIONS = 12
MOST_STEPS = 90


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory):
    """One store for all tests of this file."""
    return tmp_path_factory.mktemp("odd") / "store"


@pytest.fixture(scope="module", params=LABELS)
def odd_run(request, shared_store):
    """A finished run on each odd corpus, made before any test of it."""
    if request.param == "partly labelled":
        original = original_of(request.param, request.config)
        build_once(original, partly_labelled)
        return copied_into(shared_store, original)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(shared_store))
        return finished_run(odd_corpus(request.param))


@pytest.fixture
def store(shared_store, monkeypatch):
    """The shared store, where a test has one of its own otherwise."""
    monkeypatch.setenv("EMBEDLAB_HOME", str(shared_store))


@pytest.fixture
def open_odd(odd_run, open_page, monkeypatch):
    """``open_odd("maps")``: the page with that run; questions are answered at once, and a job that is started waits."""

    def asked(question: dict) -> str:
        number = new_id()
        try:
            found = to_jsonable_python(KINDS[question["kind"]](question))
        except EmbedlabError as error:
            found = {"error": {"code": error.code, "message": error.message}}
        give(number, found)
        return number

    def opened(page: str) -> AppTest:
        monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
        monkeypatch.setattr("embedlab.ui.frame.background.ask", asked)
        monkeypatch.setattr("embedlab.ui.frame.background.WAIT_SECONDS", 60)
        return open_page(page, run=odd_run.id, corpus=fingerprint_of(odd_run))

    return opened


def whole(at: AppTest, seen: list) -> None:
    """Nothing on the page is a traceback, and no more controls than LOOK allows; ``seen`` says how it came there."""
    assert not at.exception, f"{seen[-3:]}: {at.exception[0].value}"
    has_cards = any((each.key or "").startswith("train.card") for each in at.button)  # of recipes, as many as five
    most = 11 if has_cards else 10 if maps(at) or "map.view" in {each.key for each in at.segmented_control} else 6
    shown = [each for each in controls(at.main) if each != "Cancel"]  # of a job that the walk has started
    assert len(shown) <= most, f"{seen[-3:]}: {shown}"


def choices(at: AppTest) -> list:
    """Every option of every switch, and of the short lists that change what is drawn: key, place, control."""
    found = []
    for control in at.multiselect:
        if control.key == HISTOGRAMS:
            found += [(control.key, place, control) for place in range(len(control.options))]
    for control in [*at.selectbox, *at.segmented_control]:
        if control in at.segmented_control or (control.key or "").startswith(SELECTS):
            found += [(control.key, place, control) for place in range(min(len(control.options), MOST_OPTIONS))]
    return found


def walk(at: AppTest) -> list:
    """Choose every option once, what lies within another one first; what was chosen."""
    seen: list = []
    whole(at, seen)
    while True:
        at = filled_in(at, seen)
        left = [each for each in choices(at) if each[:2] not in seen]
        if not left:
            return seen
        key, place, control = left[-1]
        seen.append((key, place))
        assert len(seen) < MOST_STEPS, seen
        at = chosen(control, place)
        whole(at, seen)


def chosen(control, place: int) -> AppTest:
    control.root.session_state[TESTING_KEY][control.id] = str  # so that an option can be named as it is shown
    option = control.options[place]
    return control.set_value([option] if control.key == HISTOGRAMS else option).run()


def filled_in(at: AppTest, seen: list) -> AppTest:
    """Type what can be typed, then press what can be pressed; each once."""
    for button in at.button:
        if button.label in BUTTONS and (button.label, "pressed") not in seen:
            seen.append((button.label, "pressed"))
            for field in [*at.text_input, *at.text_area]:
                if field.key in TYPED:
                    field.set_value(TYPED[field.key])  # a form sends it with its button
            at = button.click().run()
            whole(at, seen)
    return at


@pytest.mark.parametrize("page", [*TITLES, "maps", "evaluate", "layers", "export"])  # the tabs of Run
def test_every_view_is_whole(open_odd, page):
    walk(open_odd(page))


def test_what_such_a_run_takes_is_told_beforehand(odd_run, store):
    found = read_json(do("estimate", stored_request(odd_run).settings).result)
    assert found["steps"] == read_json(odd_run.result)["steps"] and found["disk_bytes"] > 10**5
    assert found["verdict_seconds"] > 0
