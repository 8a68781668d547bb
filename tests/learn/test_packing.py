"""``learn pack`` from its first command to the files that it writes, on a corpus of 360 short texts."""

import json

import pytest
from made_lessons import LESSON
from toy_corpora import toy_texts

from embedlab.corpora.base import open_corpus
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.errors import LessonError
from embedlab.learn.lesson import read_lesson
from embedlab.store_root import read_json
from embedlab.tasks import lesson_packing

COMMANDS = """# name: words of a command
token: train --corpus CSV --encoder token --recipe sentences --set max_steps=8 --set vocabulary_size=400
copies.cat: diagnose --encoder scratch:bert-tiny --corpus CSV --only length-curve --texts 'a star' 'a court'
minilm.layers: layers --encoder scratch:bert-tiny --corpus CSV
minilm.length: length --encoder scratch:bert-tiny --corpus CSV
"""
CLAIMS = "claim: token.cosine.after > 0.3\nclaim: token.lab.noise.2.kept < token.lab.noise.1.kept"


def test_an_unknown_measurement_is_named_with_the_most_similar(store):
    with pytest.raises(LessonError, match="called 'minilm.layer'. Did you mean 'minilm.layers'.* Choose from: token"):
        lesson_packing.pack_lessons(lambda *told: None, ["minilm.layer"])


@pytest.mark.slow
def test_everything_a_lesson_quotes_is_measured_once_and_written(store, tmp_path, monkeypatch):
    texts, labels = toy_texts(per_class=90, sentences=2)
    csv = tmp_path / "toy.csv"
    csv.write_text(
        "text,label\n" + "\n".join(f"{text},{label}" for text, label in zip(texts, labels, strict=True)), "utf-8"
    )
    (tmp_path / "measured.txt").write_text(COMMANDS.replace("CSV", str(csv)), "utf-8")
    for name in ("EMBEDLAB_WORKER", "EMBEDLAB_WARM"):
        monkeypatch.delenv(name, raising=False)  # its commands are processes of their own
    for name, value in (("COMMANDS", "measured.txt"), ("PACKAGED", "facts.json"), ("POCKET", "pocket.json")):
        monkeypatch.setattr(lesson_packing, name, tmp_path / value)
    monkeypatch.setattr(lesson_packing, "DATA", tmp_path)
    lesson = read_lesson(LESSON.replace("claim: pocket.after > pocket.guess", CLAIMS), "mine.md")
    monkeypatch.setattr(lesson_packing, "lessons", lambda: {"mine": lesson})
    monkeypatch.setattr(lesson_packing, "load_corpus", lambda *of, **how: open_corpus(list_corpora()[0].fingerprint))
    said = []
    made = lesson_packing.pack_lessons(lambda *told: said.append(told[0]))
    facts = read_json(tmp_path / "facts.json")
    assert facts["docs.texts"]["value"] == 360 and facts["copies.cat.1"]["value"] == facts["copies.cat"]["value"][0][1]
    assert {"minilm.mean.0", "minilm.length.after", "temperature.0.05"} <= set(facts)
    (pocket,) = read_json(tmp_path / "pocket.json").values()
    assert pocket[""]["after"] > 25 and pocket["counting"] > 50
    lab = {each.parent.name for each in (tmp_path / lesson_packing.TOKEN / "lab").rglob("facts.json")}
    assert lab == {f"after-{experiment}" for experiment in lesson_packing.EXPERIMENTS}
    assert all(each.stat().st_size for each in made) and len(made) > 10
    first = json.dumps(facts)
    monkeypatch.setattr(lesson_packing, "_measure", lambda words, file: pytest.fail(f"measured again: {words}"))
    lesson_packing.pack_lessons(lambda *told: None)
    (one,) = lesson_packing.pack_lessons(lambda *told: None, ["copies.cat"])
    assert one.name == "copies.cat.json" and "diagnostics" in read_json(one)
    assert json.dumps(read_json(tmp_path / "facts.json")) == first
