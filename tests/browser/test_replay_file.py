"""The replay opened from disk: nothing leaves the page, its policy refuses nothing, and the bar moves the points."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from looking import until

sys.path.append(str(Path(__file__).parents[1] / "report"))

from replayed import HOSTILE, made_run  # noqa: E402

from embedlab.report.replay import replay_content, replay_page  # noqa: E402

PLACE = "n => { const at = replay.map.placeOf(n), box = replay.map.canvas.getBoundingClientRect(); "
PLACE += "return [box.x + at[0], box.y + at[1]]; }"


@pytest.fixture
def opened(browser, store, tmp_path):
    """``opened(texts=…)``: the file of a made run in a page of its own, which must not ask, complain or be struck."""
    contexts, found = [], []

    def opens(*, with_texts: bool = True, width: int = 1400, **made):
        run, corpus = made_run(**made)
        file = tmp_path / "replay.html"
        file.write_bytes(replay_page(replay_content(run, corpus, with_texts=with_texts)))
        context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
        page = context.new_page()
        page.on("request", lambda asked: found.append(asked.url) if asked.url != file.as_uri() else None)
        page.on("console", lambda said: found.append(said.text))
        page.on("pageerror", lambda error: found.append(str(error)))
        page.on("dialog", lambda dialog: (found.append(dialog.message), dialog.dismiss()))
        page.goto(file.as_uri())
        until(page, lambda: page.evaluate("window.replay && (!replay.map || replay.map.view.width > 1)"))
        contexts.append((context, page))
        return page, corpus, file

    yield opens
    for context, page in contexts:
        assert page.evaluate("window.struck") is None and page.locator("img").count() == 0
        context.close()
    assert found == []


def seen(page, point: int) -> str:
    page.mouse.move(*page.evaluate(PLACE, point))
    page.locator("#card:not([hidden])").wait_for()
    return page.locator("#card").inner_text()


def test_hover_shows_the_text_of_the_row_and_hostile_texts_stay_texts(opened):
    page, corpus, _ = opened()
    page.locator("#scrub").fill("3")
    assert "7 sail" in seen(page, 7) and corpus.texts[7][:200] in seen(page, 7).replace("\n", " ")
    page.locator("#legend").get_by_role("button", name=HOSTILE[:30]).wait_for()
    assert "</script><img" in seen(page, 0)
    assert page.locator("#title").inner_text().startswith("</script><img")


def test_the_bar_moves_points_and_curves_together(opened):
    page, _, _ = opened()
    whole = page.evaluate("replay.map.view.scale")
    across = [page.evaluate("replay.map.film.places[0]")]
    knn = [page.locator("#knn .value").inner_text()]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    across.append(page.evaluate("replay.map.film.places[0]"))
    knn.append(page.locator("#knn .value").inner_text())
    page.locator("#scrub").fill("3")
    across.append(page.evaluate("replay.map.film.places[0]"))
    assert across == pytest.approx([1, 3, 4], abs=1e-3) and page.evaluate("replay.map.view.scale") == whole
    assert knn == ["step 0: 40.0 % ± 6.9", "step 20: 60.0 % ± 6.9"]
    assert page.locator("#now").inner_text() == "step 30 of 30"


def test_the_switch_tells_the_other_distance_at_the_same_place_of_the_bar(opened):
    page, _, _ = opened()
    page.locator("#scrub").fill("2")
    page.get_by_role("button", name="Euclidean distance").click()
    until(page, lambda: page.locator("#knn .value").inner_text() == "step 20: 50.0 % ± 7.1")
    assert "(Euclidean distance), before" in page.locator("#numbers").inner_text()
    assert page.locator("#verdict").inner_text().startswith("Helped: kNN accuracy +20.0 points (Euclidean distance,")
    assert page.locator("#knn svg").count() == 1 and page.locator("#knn .reference-line").count() == 2
    named = page.locator("#knn title").all_text_contents()
    assert "all 100 test texts: 40.0 % ± 4.9" in named and "TF-IDF, all 100 test texts: 70.0 %" in named


@pytest.mark.slow
def test_before_and_after_are_the_ends_of_one_morph(opened):
    page, _, _ = opened()
    page.get_by_role("button", name="Before").click()
    assert page.evaluate("replay.map.scene.points.length") == 60
    assert page.evaluate("replay.map.film.places[0]") == pytest.approx(1, abs=1e-3)
    page.locator("#scrub").fill("0.5")
    assert page.evaluate("replay.map.film.places[0]") == pytest.approx(2, abs=1e-3)
    assert page.locator("#now").inner_text() == "50 % of the way"
    assert page.locator("#views [aria-pressed=true]").count() == 0  # neither before nor after
    page.get_by_role("button", name="After").click()
    until(page, lambda: page.evaluate("replay.player.at === 1 && !replay.player.playing"))
    assert page.evaluate("replay.map.film.places[0]") == pytest.approx(3, abs=1e-3)
    assert page.locator("#views [aria-pressed=true]").inner_text() == "After"
    page.evaluate("""() => {
      const { player } = replay, { changed } = player;
      window.places = [];
      player.changed = (at) => { window.places.push(at); changed(at); };
    }""")
    page.get_by_role("button", name="Play", exact=True).click()  # from the end: anew from before
    until(page, lambda: page.evaluate("replay.player.at === 1 && !replay.player.playing"))
    places = page.evaluate("window.places")
    assert places[0] == 0 and places == sorted(places)


def test_space_plays_to_the_end_and_pauses(opened):
    page, _, _ = opened()
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    until(page, lambda: page.evaluate("replay.player.at === 3 && !replay.player.playing"))
    page.get_by_role("button", name="Play", exact=True).wait_for()


def test_a_class_is_shown_alone_and_a_text_without_texts_is_a_number(opened):
    page, _, _ = opened(with_texts=False)
    page.locator("#scrub").fill("3")  # where neighbors lie farther apart than the pointer reaches
    assert "Text 8 of the corpus" in seen(page, 7)
    page.locator("#legend").get_by_role("button", name="class 2").click()
    page.mouse.move(*page.evaluate(PLACE, 7))  # of class 1
    page.locator("#card").wait_for(state="hidden")
    assert "none of the texts" in page.locator("#said").inner_text()


def test_five_thousand_texts_stay_under_fifteen_megabytes_and_fit_a_narrow_window(opened):
    page, _, file = opened(texts=5000, probe=2000, frames=120, width=800)
    assert file.stat().st_size < 15_000_000
    content = json.loads(page.locator("#content").text_content())
    assert content["points"] == 5000 and len(content["film"]["frames"]) == 120
    assert page.evaluate("document.documentElement.scrollWidth") == 800
    assert np.isfinite(page.evaluate("Array.from(replay.map.film.places)")).all()


def test_without_film_and_maps_the_bar_moves_the_curves(opened):
    page, _, _ = opened(frames=0, maps=False)
    assert page.locator("#frame").is_hidden()
    page.locator("#scrub").fill("20")
    until(page, lambda: page.locator("#loss .value").inner_text() == "step 20: 2.000")  # charts are drawn once sized
