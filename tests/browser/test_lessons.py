"""Lessons opened from disk: by keyboard alone, with no request, with no storage, and training as NumPy does."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from looking import until

sys.path.append(str(Path(__file__).parents[1] / "learn"))

from made_lessons import LESSON  # noqa: E402

from embedlab.learn.catalog import BUILT_IN, export_lesson, find_lesson  # noqa: E402
from embedlab.learn.facts import Facts, bound_runs, check_claim  # noqa: E402
from embedlab.learn.lesson import read_lesson  # noqa: E402
from embedlab.learn.pocket import VIEWS, Pocket, PocketConfig  # noqa: E402
from embedlab.learn.pocket_corpus import pocket_corpus  # noqa: E402
from embedlab.learn.pocket_facts import SEEDS, PocketFacts  # noqa: E402

NO_STORAGE = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('refused'); } });"
FIRST_STEP = """(settings) => {
  const pocket = new lesson.Pocket(lesson.corpus, settings, 0);
  const views = (text) => lesson.viewPair(lesson.corpus, settings.views, text, pocket.random);
  const loss = pocket.gradient(pocket.nextTexts().map(views));
  const words = [...pocket.touched].sort((a, b) => a - b);
  return [loss, words, words.flatMap((word) => [...pocket.sum.subarray(64 * word, 64 * word + 64)])];
}"""
LOSSES = "(settings) => { const pocket = new lesson.Pocket(lesson.corpus, settings, 0); "
LOSSES += "for (let step = 0; step < settings.steps; step++) pocket.train(); return pocket.losses; }"
TRAINED = "([settings, seed]) => { const pocket = new lesson.Pocket(lesson.corpus, settings, seed); "
TRAINED += "for (let step = 0; step < settings.steps; step++) pocket.train(); return pocket.accuracy(); }"


@pytest.fixture
def opened(browser, tmp_path):
    """``opened(page, "#2")``: a file in a context of its own, which must ask for nothing and complain of nothing."""
    contexts, faults = [], []

    def opens(content: bytes, address: str = "", *, size=(1280, 800), scheme="light", script=""):
        file = tmp_path / "lesson.html"
        file.write_bytes(content)
        context = browser.new_context(viewport=dict(zip(("width", "height"), size, strict=True)), color_scheme=scheme)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", lambda asked: None if asked.url.startswith(file.as_uri()) else faults.append(asked.url))
        page.on("console", lambda said: faults.append(said.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
        if script:
            page.add_init_script(script)
        page.goto(file.as_uri() + address)
        page.locator("#head").wait_for()
        contexts.append(context)
        return page

    yield opens
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def made(toy_corpus) -> bytes:
    return export_lesson(read_lesson(LESSON, "7-four-ways.md"), corpus=toy_corpus).page


def tab_to(page, selector: str) -> None:
    """By the Tab key alone."""
    for _ in range(60):
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def walk(page) -> str:
    """Every step predicted by keyboard; the line of the last page."""
    kinds = page.evaluate("lesson.content.steps.map((step) => [step.kind, step.why.length, step.picture?.after])")
    for number, (kind, reasons, is_after) in enumerate(kinds, 1):
        page.locator(f"#head[data-step='{number}']").wait_for()
        assert page.locator(".why").count() == 0 and (not is_after or page.locator(".view").count() == 0)
        if kind in ("choice", "four"):
            tab_to(page, ".answer")
            page.keyboard.press("Enter")
        elif kind == "number":
            tab_to(page, "input[type=number]")
            page.keyboard.press("ArrowUp")
            page.keyboard.press("Enter")
        elif kind == "draw":
            tab_to(page, "svg[role=slider]")
            for key in ("ArrowUp", "ArrowUp", "ArrowRight", "ArrowUp"):
                page.keyboard.press(key)
            tab_to(page, ".ask .go")
            page.keyboard.press("Enter")
        if kind != "none":
            page.locator(".why, .outcome, .answer.right").first.wait_for()
            assert page.locator(".why").count() == (1 if reasons else 0)
            assert page.locator(".ask :is(.answer, input, .go):enabled").count() == 0  # cannot be changed after
        if page.locator(".view").count():
            page.locator(".view").locator("canvas, svg, .bars, .strips").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("ArrowRight")
    page.locator("output.line").wait_for()
    return page.locator("output.line").inner_text()


@pytest.mark.parametrize(("size", "scheme"), [((1280, 800), "light"), ((390, 844), "dark")])
def test_every_question_is_answered_by_keyboard_alone_without_storage(opened, made, size, scheme):
    page = opened(made, size=size, scheme=scheme, script=NO_STORAGE)
    assert "</script><img src=x onerror=alert(1)>" in page.locator("#text").inner_text()
    line = walk(page)
    assert re.fullmatch(r"embedlab four-ways [0-9a-f]{4}: 1A 2=51 3=[\d.]+ 4A", line)
    assert page.locator("img").count() == 0


def test_what_was_answered_is_there_again_and_begins_again(opened, made):
    page = opened(made)
    page.locator(".answer").nth(1).click()
    page.reload()
    assert "✓ your answer, right" in page.locator(".answer.mine").inner_text()
    page.goto(page.url.split("#")[0] + "#6")
    page.locator(".named input").fill("Ada <b>")
    assert page.locator("output.line").inner_text().endswith(": 1B · Ada <b>")
    page.get_by_role("button", name="Begin again").click()
    page.locator(".answer:enabled").first.wait_for()


def test_on_a_projector_clicks_are_hands_and_the_first_bars_stay(opened, made):
    page = opened(made, "#1/present", size=(1280, 720))
    for place in (0, 0, 1):
        page.locator("#hands .answer").nth(place).click()
    counts = page.locator("#hands .count").all_inner_texts()
    assert counts == ["2", "1"] and page.locator(".why").count() == 0
    page.get_by_role("button", name="Vote again").click()
    page.locator("#hands .answer").nth(1).click()
    assert page.locator("#hands .count").all_inner_texts() == ["0 (first 2)", "1 (first 1)"]
    assert page.locator(".hand.ghost").count() == 2
    page.get_by_role("button", name="Reveal").click()
    page.locator(".why").wait_for()
    assert "✓ right" in page.locator("#hands .answer.right").inner_text()
    one = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    page.get_by_role("button", name="Leave the projector").click()
    page.locator(".answer:enabled").first.wait_for()
    assert one == 1.5 * page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")


def fits(page) -> bool:
    """Whether all of a step is on the screen."""
    parts = "[...document.querySelectorAll('#text, #figure')]"
    whole = "document.documentElement.scrollHeight <= innerHeight"
    return page.evaluate(f"{whole} && {parts}.every((part) => part.scrollHeight <= part.clientHeight + 1)")


def test_all_of_a_step_is_on_a_projectors_screen(opened, made):
    page = opened(made, size=(1280, 720))
    for step in range(1, 6):
        page.goto(f"{page.url.split('#')[0]}#{step}/present")
        until(page, lambda: fits(page))
        if page.get_by_role("button", name="Reveal").count():
            page.get_by_role("button", name="Reveal").click()
            until(page, lambda: fits(page))


def settings_of(config: PocketConfig) -> dict:
    return config.model_dump(exclude={"texts"}) | {"steps": config.total}


def test_a_first_step_is_numpys_to_five_digits(opened, made, toy_corpus):
    page, corpus = opened(made, "#2"), pocket_corpus(toy_corpus)
    for change in (*({"views": each} for each in VIEWS), {"negatives": False}, {"temperature": 1.0}):
        config = PocketConfig(batch=32, **change)
        loss, words, gradient = page.evaluate(FIRST_STEP, settings_of(config))
        pocket = Pocket(corpus, config)
        expected, by_words, touched = pocket.gradient(pocket.next_pairs())
        assert loss == pytest.approx(expected, rel=1e-5, abs=1e-5) and words == touched.tolist(), change
        assert np.abs(np.array(gradient) - by_words.ravel()).max() < 1e-5, change


def test_thirty_steps_lose_what_numpys_lose(opened, made, toy_corpus):
    page, config = opened(made, "#2"), PocketConfig(batch=32, steps=30, temperature=0.5)
    theirs = page.evaluate(LOSSES, settings_of(config))
    assert theirs == pytest.approx(Pocket(pocket_corpus(toy_corpus), config).train().losses, rel=1e-3)


def test_a_line_that_trains_longer_is_grey_where_steps_are_equal_and_it_is_said_why(opened, toy_corpus):
    settings = "train: at once\nbatch: 16\nsteps: 10\ntexts: 160\nagainst: steps=20\nx: steps, texts"
    race = LESSON.replace("when: after\ntrain: at once", settings)
    page = opened(export_lesson(read_lesson(race, "race.md"), corpus=toy_corpus).page, "#2")
    second, reason = page.locator("polyline.line").nth(1), page.locator(".view .quiet")
    until(page, lambda: "steps 20: " in page.locator(".numbers").inner_text())
    assert reason.inner_text() == "Gray: it trains 20 steps and the first one 10, so steps cannot compare them."
    assert second.get_attribute("class") == "line untouched"
    page.get_by_role("button", name="equal texts").click()
    until(page, lambda: second.get_attribute("class") == "line series-1")
    assert not reason.is_visible()


def test_a_typed_sentence_is_voted_on_by_ten(opened, made):
    page = opened(made, "#5")
    page.locator(".typed button:enabled").wait_for()
    page.locator(".typed input").fill("the telescope saw a galaxy and a comet in orbit")
    page.keyboard.press("Enter")
    until(page, lambda: "It counts as astronomy." in page.locator(".reply").last.inner_text())
    assert page.locator(".reply").last.locator("li").count() == 10
    page.locator(".typed input").fill("xyzzy")
    page.keyboard.press("Enter")
    until(page, lambda: "None of these words" in page.locator(".reply").last.inner_text())


@pytest.fixture(scope="module")
def docs_pages(tmp_path_factory) -> dict[str, bytes]:
    """The built-in lessons on the built-in corpus."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(tmp_path_factory.mktemp("lessons")))
        lessons = [read_lesson(path.read_text(encoding="utf-8"), path.name) for path in sorted(BUILT_IN.glob("*.md"))]
        return {lesson.key: export_lesson(lesson).page for lesson in lessons}


KEYS = [read_lesson(path.read_text(encoding="utf-8"), path.name).key for path in sorted(BUILT_IN.glob("*.md"))]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
@pytest.mark.parametrize("key", KEYS)
def test_each_lesson_is_walked_to_its_end_by_keyboard(opened, docs_pages, key, size, scheme):
    page = opened(docs_pages[key], size=size, scheme=scheme, script=NO_STORAGE)
    assert walk(page).startswith(f"embedlab {key} ")


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_each_step_of_a_lesson_fits_a_projector(opened, docs_pages, key):
    page = opened(docs_pages[key], size=(1280, 720))
    for step in range(1, page.evaluate("lesson.content.steps.length") + 1):
        page.goto(f"{page.url.split('#')[0]}#{step}/present")
        until(page, lambda: fits(page))
        if page.get_by_role("button", name="Reveal").count():
            page.get_by_role("button", name="Reveal").click()
            until(page, lambda: fits(page))


@pytest.mark.slow
def test_every_seed_of_every_claim_ends_within_three_points_of_numpys_and_the_claims_hold(
    opened, docs_pages, monkeypatch, tmp_path
):
    from embedlab.corpora import load_corpus

    monkeypatch.setenv("EMBEDLAB_HOME", str(tmp_path / "store"))
    corpus, page = pocket_corpus(load_corpus("docs")), opened(docs_pages["pull-and-push"], "#1")

    class InTheBrowser(PocketFacts):
        """What training ends with is the browser's, all else NumPy's."""

        def measured(self, key, config):
            if key != "after":
                return super().measured(key, config)
            theirs = [page.evaluate(TRAINED, [settings_of(config), seed]) for seed in SEEDS]
            ours = [100 * Pocket(corpus, config, seed).train().accuracy() for seed in SEEDS]
            assert theirs == pytest.approx(ours, abs=3), config
            return np.mean(theirs)

    for lesson in map(find_lesson, KEYS[:3]):
        facts = Facts(bound_runs(lesson, {}), lambda: InTheBrowser(corpus))
        claims = [check_claim(claim, facts) for claim in lesson.claims]
        assert [each.sentence for each in claims if not each.holds] == []
