"""The file of a lesson: one page that fetches nothing, in which texts are text, small enough to mail."""

import base64
import gzip
import hashlib
import json
import re

import pytest
from made_lessons import LESSON

from embedlab.cli.arguments import parser
from embedlab.errors import LessonError
from embedlab.learn.catalog import (
    BUILT_IN,
    export_lesson,
    facts_for,
    fitting,
    keep_lesson,
    lessons,
    own_folder,
    read_lessons,
    skeleton,
)
from embedlab.learn.lesson import read_lesson
from embedlab.runs.example import TOKEN, example_run
from embedlab.tasks.lesson_packing import commands, facts_of


@pytest.fixture
def page(lesson, toy_corpus) -> str:
    return export_lesson(lesson, corpus=toy_corpus).page.decode()


def test_the_policy_names_this_script_and_this_style_and_nothing_else(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page).group(1)
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", page) and "fetch(" not in script


def test_html_of_a_lesson_stays_inert(page):
    assert page.count("<script") == 2 and page.count("</script>") == 2 and "<img" not in page
    content = json.loads(page.partition('id="content">')[2].partition("</script>")[0])
    assert "</script><img src=x" in content["steps"][0]["paragraphs"][0][2][1] + str(content["steps"][0]["paragraphs"])
    assert content["steps"][0]["right"] == 1 and content["steps"][3]["kind"] == "four"


def test_facts_are_written_into_the_text(page):
    assert "{token" not in page.partition('id="content">')[2].partition("</script>")[0]
    assert "74.3 %" in page


@pytest.mark.parametrize("name", ["4-misread-the-map", "5-which-layer", "6-longer-is-not-closer"])
def test_lessons_without_a_pocket_hold_their_claims_and_their_size(store, name):
    found = read_lesson((BUILT_IN / f"{name}.md").read_text(encoding="utf-8"), f"{name}.md")
    made = export_lesson(found)
    assert all(each.holds for each in made.claims)
    assert len(made.page) <= 400_000 and len(gzip.compress(made.page)) <= 140_000


def test_every_fact_that_a_built_in_lesson_quotes_is_packaged_and_every_command_of_it_understood(store):
    for lesson, path in read_lessons()[0].values():
        facts = facts_for(lesson)
        quoted = set(re.findall(r"\{([a-z][^{}]*)\}", path.read_text(encoding="utf-8")))
        assert all(facts[name].text for name in quoted if not name.startswith("pocket"))
    for words in commands().values():
        parser().parse_args(words)


def test_measured_results_become_facts_by_name():
    curve = {"copies": [1, 2, 60], "cosines": [0.1, 0.2, 0.3]}
    knn = {"before": 0.3, "after": 0.5, "standard_error": 0.01, "cosine": {"after": 0.6}}
    made = facts_of({
        "token": {"corpus": {"texts": 9, "classes": 2}, "knn": knn},
        "copies.x": {"diagnostics": {"length-curve": {"before": curve}}},
        "minilm.layers": {"layers": [{"layer": 0, "pooling": "mean", "cosine": {"before": 0.4}}]},
        "minilm.length": {"untouched": {"before": {"mean": 0.2}, "after": {"mean": 0.4}}},
        "tiny.crops": {"knn": knn},
        "temperature.5": {"knn": knn},
    })  # fmt: skip
    values = {name: fact["value"] for name, fact in made.items()}
    assert values["copies.x"] == [[1, 0.1], [2, 0.2]] and values["copies.x.2"] == 0.2  # 60 copies are not read
    assert (values["tiny.before"], values["tiny.crops"], values["temperature.5"]) == (0.3, 0.5, 0.6)
    assert (values["minilm.mean.0"], values["minilm.length.after"], values["docs.texts"]) == (0.4, 0.4, 9)


def test_own_lessons_stand_beside_the_built_in_ones(store):
    assert list(lessons()) == [re.sub(r"^\d-", "", path.stem) for path in sorted(BUILT_IN.glob("*.md"))]
    kept = keep_lesson(LESSON.encode(), "Meine Übung.md")
    assert kept.key == "meine-ubung" and "meine-ubung" in lessons()


def test_a_lesson_may_name_its_corpus_and_one_that_cannot_be_read_is_said(store, toy_corpus):
    named = LESSON.replace("runs: token, mini", "runs: token, mini\ncorpus: toy")
    assert b'"name":"toy"' in export_lesson(read_lesson(named, "a.md")).page
    with pytest.raises(LessonError, match="corpus 'toi', which is not in the store. Did you mean 'toy'"):
        export_lesson(read_lesson(named.replace("corpus: toy", "corpus: toi"), "a.md"))
    (own_folder() / "bad.md").parent.mkdir(exist_ok=True)
    (own_folder() / "bad.md").write_text("hello", encoding="utf-8")
    assert len(lessons()) == 6 and "bad.md must begin with lines" in read_lessons()[1][0]


def test_a_skeleton_is_a_lesson_with_the_facts_of_its_run(store, toy_corpus):
    run = example_run(TOKEN)
    assert list(fitting(run)) == ["bars", "lines", "replay", "pocket"]
    for kinds in (["bars"], ["bars", "lines", "replay", "pocket"]):
        made = read_lesson(skeleton(run, kinds, title="The packaged run", name="token"), "mine.md")
        assert made.runs == ("token",) and all(each.holds for each in export_lesson(made, corpus=toy_corpus).claims)
