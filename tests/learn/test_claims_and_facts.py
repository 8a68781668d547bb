"""Facts by their names, claims with both their values, and the lesson that is not exported when one fails."""

import pytest
from made_lessons import LESSON

from embedlab.errors import LessonError, UserError
from embedlab.learn.catalog import export_lesson, facts_for
from embedlab.learn.facts import Fact, Facts, bound_runs, check_claim, share
from embedlab.learn.lesson import read_lesson
from embedlab.learn.pocket import Pocket, PocketConfig
from embedlab.runs.example import TOKEN, example_run
from embedlab.runs.result import read_result


class Given(Facts):
    """Facts that a test names."""

    def __init__(self, **values: float):
        self._known = {name.replace("_", "."): share(value) for name, value in values.items()}


@pytest.mark.parametrize(
    ("claim", "left", "right", "holds"),
    [
        ("a.b > c.d", 0.5, 0.3, True),
        ("a.b > c.d + 0.3", 0.5, 0.6, False),
        ("a.b - c.d < 0.25", 0.2, 0.25, True),
        ("a.b within 0.1 of c.d", 0.5, 0.3, False),
        ("a.b within 0.2 of c.d + 0.1", 0.5, 0.4, True),
        ("0.4 > a.b", 0.4, 0.5, False),
        ("a.b within 0 of a.b", 0.5, 0.5, True),
        ("a.b > a.b", 0.5, 0.5, False),
        ("a.b < a.b", 0.5, 0.5, False),
    ],
)
def test_a_claim_compares_sums_of_facts_and_numbers(claim, left, right, holds):
    found = check_claim(claim, Given(a_b=0.5, c_d=0.3))
    assert (found.left, found.right, found.holds) == (pytest.approx(left), pytest.approx(right), holds)
    assert claim in found.sentence and f"{left:.3g}" in found.sentence and f"{right:.3g}" in found.sentence


@pytest.mark.parametrize("claim", ["a.b", "a.b = c.d", "a.b within c.d", "a.b > c.d > 0.1"])
def test_what_is_no_claim_is_refused(claim):
    with pytest.raises(LessonError, match="is not 'A > B'"):
        check_claim(claim, Given(a_b=0.5, c_d=0.3))


def test_facts_of_a_run_are_those_of_its_result(lesson, store):
    facts, result = facts_for(lesson), read_result(example_run(TOKEN))
    after = result.knn.after.cosine.value
    assert facts.one("token.cosine.after").value == after
    assert facts.one("token.euclidean.tfidf.low").value == result.judged.euclidean.against["tfidf"].low
    assert facts["token.cosine.after"].text == f"{100 * after:.1f} %"
    assert facts.one("mini.cls.0.before").of_100 == 100 * facts.one("mini.cls.0.before").value
    assert facts["token.texts"].text == "10,803" and facts["token.cosine.difference"].text.startswith(
        "+29.3 points (95 %"
    )


def test_an_unknown_fact_is_named_with_the_nearest(lesson, store):
    with pytest.raises(LessonError, match=r"no fact 'token.cosine.aftr'. Did you mean 'token.cosine.after'"):
        facts_for(lesson)["token.cosine.aftr"]


def test_facts_of_the_pocket_are_means_of_three_seeds(lesson, toy_corpus, small):
    facts = facts_for(lesson, corpus=toy_corpus)
    config = PocketConfig(steps=40, temperature=0.2)
    each = [100 * Pocket(small, config, seed).train().accuracy() for seed in (0, 1, 2)]
    assert facts.one("pocket(steps=40, temperature=0.2).after").value == pytest.approx(sum(each) / 3)
    assert facts.one("pocket.guess").value == 25 and facts.one("pocket.counting").value > 90
    with pytest.raises(LessonError, match="Facts of the pocket encoder are"):
        facts["pocket.befor"]


def test_a_lesson_with_a_broken_claim_is_not_exported_unless_wanted(toy_corpus):
    broken = read_lesson(LESSON.replace("pocket.after > pocket.guess", "pocket.before > 101"), "a.md")
    with pytest.raises(
        LessonError, match=r"'pocket.before > 101' does not hold: the left side is [\d.]+, the right side 101"
    ):
        export_lesson(broken, corpus=toy_corpus)
    made = export_lesson(broken, corpus=toy_corpus, anyway=True)
    assert b"does not hold" in made.page


def test_runs_are_bound_by_name(lesson, store):
    assert bound_runs(lesson, {})["token"].path == example_run(TOKEN).path
    with pytest.raises(LessonError, match="has no run 'tokn'"):
        bound_runs(lesson, {"tokn": "x"})
    own = read_lesson(LESSON.replace("runs: token, mini", "runs: mine"), "a.md")
    with pytest.raises(LessonError, match="Use --run mine=ID"):
        bound_runs(own, {})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("```bars", "```barz"), "shows 'barz', which is not a view. Did you mean 'bars'"),
        (("values: cosine.before, cosine.after, tfidf", "values: cosine.befor"), "no fact 'token.cosine.befor'"),
        (("{token.cosine.after}", "{token.cosine.aftr}"), "no fact 'token.cosine.aftr'"),
        (("train: at once", "train: now"), "pocket in step 2"),
        (("train: at once", "controls: temprature"), "'temprature', but input should be 'views', 'negatives'"),
        (("ask: your texts", "ask: my texts"), "is not a map of 'noise'"),
        (("values: mean.before", "values: meen.before"), "no fact 'mini.meen.before'"),
        (("x: layer 0 to 4", "x: layer 4 to 0"), "an axis is a name and its range"),
        (("truth: mini.mean.before", "truth: mini.mean.0.before"), "needs a curve as its truth"),
        (("truth: pocket.before", "truth: mini.mean.before"), "is a curve, but one number is needed"),
        (("run: token\nexperiment", "run: tokn\nexperiment"), "uses the run 'tokn'"),
    ],
)  # fmt: skip
def test_what_a_picture_cannot_show_is_refused_in_one_sentence(toy_corpus, change, said):
    assert LESSON.count(change[0])
    with pytest.raises(UserError) as refused:
        export_lesson(read_lesson(LESSON.replace(*change), "a.md"), corpus=toy_corpus)
    assert said in refused.value.message and "\n" not in refused.value.message and refused.value.exit_code == 2


def test_numbers_are_written_as_the_app_writes_them():
    assert share(0.5891).text == "58.9 %" and Fact([(0, 0.1), (1, 0.25)], "", 100).of_100 == [[0, 10.0], [1, 25.0]]
