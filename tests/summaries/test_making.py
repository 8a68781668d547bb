"""Made text by text, gone on with after any end, published whole beside a corpus that stays as it was."""

import json

import pyarrow.parquet as pq
import pytest
from fake_endpoint import MODEL

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.corpora.made_summaries import unfinished
from embedlab.errors import CorpusError, EmbedlabError, StopRequested
from embedlab.jobs.progress import FolderProgress
from embedlab.jobs.requests.corpora import Summarise
from embedlab.runs.store import create_run
from embedlab.store_root import read_json
from embedlab.summaries import SUMMARISERS
from embedlab.summaries.base import Made
from embedlab.summaries.extractive import Extractive, ExtractiveConfig
from embedlab.tasks import TASKS
from embedlab.tasks.device_queue import device_of
from embedlab.tasks.summarising import Making, chosen_texts, make
from embedlab.training.settings import RunSettings


def summarise(corpus, summariser: str, *, progress=None, **asked) -> dict:
    """The task in this process; its result."""
    folder = create_run("summarise", {"corpus": corpus.fingerprint, "summariser": summariser, **asked})
    settings = read_json(folder.settings)["settings"]
    TASKS["summarise"].run(folder, TASKS["summarise"].read(settings), progress or FolderProgress(folder))
    return read_json(folder.result)


def by_endpoint(corpus, endpoint, *, progress=None, limit=8, **settings) -> dict:
    settings = {"url": endpoint.url, "model": MODEL, "retries": 0, "requests_at_once": 1} | settings
    return summarise(corpus, "endpoint", settings=settings, limit=limit, progress=progress)


def published(corpus) -> list[list[str]]:
    return open_corpus(corpus.fingerprint).summaries


def test_the_summaries_lie_beside_the_corpus_which_stays_as_it_was(toy_corpus):
    before = (toy_corpus.folder / "corpus.parquet").read_bytes(), (toy_corpus.folder / "corpus.json").read_bytes()
    assert toy_corpus.summaries is None and toy_corpus.made_summaries is None
    result = summarise(toy_corpus, "extractive", continuations=1, limit=50)
    corpus = open_corpus(toy_corpus.fingerprint)
    assert before == ((corpus.folder / "corpus.parquet").read_bytes(), (corpus.folder / "corpus.json").read_bytes())
    assert len(corpus.summaries) == 120 and sum(map(bool, corpus.summaries)) == 50
    for row, lines in enumerate(corpus.summaries):
        assert len(lines) in (0, 4) and all(line in corpus.texts[row] for line in lines)
    facts = corpus.made_summaries
    assert facts.extractive and facts.summariser == "extractive" and "stand-in" in facts.title
    assert (facts.texts, facts.asked_texts, facts.summaries) == (50, 50, 200)
    assert result["sha256"] == facts.sha256 and result["texts"] == 50
    assert pq.read_schema(corpus.folder / "summaries.parquet").names == ["summaries"]


def test_rows_without_text_have_no_summaries(store):
    texts = ["A text of two sentences. This is the second of them.", "", "Another text of some words."]
    corpus = store_corpus(Draft(name="gap", source="x", texts=texts))
    summarise(corpus, "extractive")
    assert [len(lines) for lines in published(corpus)] == [2, 0, 1]


def test_a_limit_draws_the_same_texts_each_time_and_a_larger_one_holds_a_smaller(toy_corpus):
    few, more, every = (
        [text.row for text in chosen_texts(open_corpus(toy_corpus.fingerprint), limit)] for limit in (10, 40, None)
    )
    assert few == every[:10] and more == every[:40] and sorted(every) == list(range(120))
    assert len(set(toy_corpus.labels[few])) > 1  # not the first of the file
    assert chosen_texts(toy_corpus, 1)[0].title == toy_corpus.titles[few[0]]


class Ends(FolderProgress):
    """A progress that ends the work once so many texts are done."""

    def __init__(self, at: int, error: Exception):
        self.at, self.error = at, error

    def __call__(self, stage, done=0, total=0):
        if stage.startswith("Summarizing") and done >= self.at:
            raise self.error


ENDS = {"stop": StopRequested(), "crash": RuntimeError("power cut")}


@pytest.mark.parametrize("end", [*ENDS, "cut", "html", "404"])
def test_after_any_end_the_work_goes_on_and_ends_as_without_it(toy_corpus, endpoint, end):
    by_endpoint(toy_corpus, endpoint)
    expected, table = published(toy_corpus), (toy_corpus.folder / "summaries.parquet").read_bytes()
    assert sum(map(bool, expected)) == 8 and len(endpoint.requests) == 40
    for file in toy_corpus.folder.glob("summaries*"):
        file.unlink()

    endpoint.requests.clear()
    endpoint.behaviours = [] if end in ENDS else ["well"] * 17 + [end]
    error = (type(ENDS[end]) if end in ENDS else EmbedlabError,)
    with pytest.raises(error):
        by_endpoint(toy_corpus, endpoint, progress=Ends(3, ENDS[end]) if end in ENDS else None)
    assert published(toy_corpus) is None
    assert unfinished(toy_corpus.folder)[1:] == (3, 8)

    by_endpoint(toy_corpus, endpoint)
    assert published(toy_corpus) == expected and (toy_corpus.folder / "summaries.parquet").read_bytes() == table
    assert unfinished(toy_corpus.folder) is None
    once = [text for text in endpoint.asked_texts() if endpoint.asked_texts().count(text) == 1]
    under_way = 40 - len(once)  # prompts of the one text that was not finished
    assert under_way == (0 if end in ENDS else 3)


def test_a_larger_limit_and_another_speed_go_on_and_other_settings_begin_anew(toy_corpus, endpoint):
    by_endpoint(toy_corpus, endpoint, limit=3)
    by_endpoint(toy_corpus, endpoint, limit=5, retries=2, requests_at_once=2)
    assert len(endpoint.requests) == 25 and sum(map(bool, published(toy_corpus))) == 5
    by_endpoint(toy_corpus, endpoint, limit=3)
    assert len(endpoint.requests) == 25 and sum(map(bool, published(toy_corpus))) == 3
    by_endpoint(toy_corpus, endpoint, limit=3, seed=1)
    assert len(endpoint.requests) == 40


def test_a_torn_line_loses_its_text_alone(toy_corpus):
    summarise(toy_corpus, "extractive")
    expected = published(toy_corpus)
    (file,) = toy_corpus.folder.glob("summaries-*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:60]) + lines[60][:20])
    summarise(toy_corpus, "extractive")
    assert published(toy_corpus) == expected
    rows = [json.loads(line)["row"] for line in file.read_bytes().splitlines() if line != lines[60][:20]]
    assert sorted(rows) == list(range(120))


def test_an_estimate_says_what_is_left_and_keeps_what_it_made(toy_corpus, endpoint):
    settings = {"url": endpoint.url, "model": MODEL}
    asked = {"settings": settings, "continuations": 2, "limit": 44}
    found = summarise(toy_corpus, "endpoint", estimate=True, **asked)
    assert len(endpoint.requests) == 20  # four texts of five prompts
    assert (found["probe_texts"], found["done"], found["texts"], found["asked_texts"]) == (4, 4, 40, 44)
    assert found["requests"] == 200 and found["tokens_read"] > 1000 and found["tokens_written"] == 40 * 5 * 2 * 6
    assert found["seconds"] > 0 and "Measured on 4 texts" in found["basis"]
    assert published(toy_corpus) is None and unfinished(toy_corpus.folder) is None
    summarise(toy_corpus, "endpoint", **asked)
    assert len(endpoint.requests) == 44 * 5
    again = summarise(toy_corpus, "endpoint", estimate=True, **asked)
    assert (again["texts"], again["requests"], again["seconds"]) == (0, 0, 0.0) and len(endpoint.requests) == 44 * 5


def test_tokens_read_are_estimated_by_the_length_of_the_texts(store, endpoint):
    long = [f"{'word ' * 200}{n}." for n in range(30)]
    corpus = store_corpus(Draft(name="even", source="x", texts=long))
    found = summarise(corpus, "endpoint", settings={"url": endpoint.url, "model": MODEL}, estimate=True)
    read = sum(len(text.split()) for text in endpoint.asked_texts())
    assert found["tokens_read"] == pytest.approx(read * 26 / 4, rel=0.01)


class Blank(Extractive):
    """Has nothing to say about texts with these rows."""

    silent_about: frozenset = frozenset()

    def summarise(self, texts, tick=lambda: None):
        for made in super().summarise(texts, tick):
            yield Made(made.row, []) if made.row in self.silent_about else made


def test_a_text_without_summaries_is_left_empty_and_asked_again_next_time(toy_corpus):
    blank = Blank(ExtractiveConfig())
    texts = chosen_texts(toy_corpus, 10)
    blank.silent_about = {texts[1].row}
    asked = Summarise(corpus=toy_corpus.fingerprint, summariser="extractive", limit=10)
    made, _ = make(Making(toy_corpus, texts, blank), asked)
    assert made.texts == 9 and published(toy_corpus)[texts[1].row] == []
    blank.silent_about = frozenset()
    assert make(Making(open_corpus(toy_corpus.fingerprint), texts, blank), asked)[0].texts == 10


def test_a_model_that_writes_nothing_is_found_out_soon(toy_corpus, endpoint):
    endpoint.behaviours = ["empty text"] * 1000
    with pytest.raises(EmbedlabError, match="only whitespace for the first 3 texts") as caught:
        by_endpoint(toy_corpus, endpoint, limit=None)
    assert caught.value.code == "E-NO-SUMMARIES" and len(endpoint.requests) == 15


def test_a_corpus_that_came_with_summaries_keeps_them(store):
    corpus = store_corpus(Draft(name="own", source="x", texts=["One text.", "Two."], summaries=[["a"], ["b"]]))
    with pytest.raises(CorpusError, match="its own summaries") as caught:
        summarise(corpus, "extractive")
    assert caught.value.code == "E-HAS-SUMMARIES" and corpus.made_summaries is None
    assert published(corpus) == [["a"], ["b"]]


def test_summaries_that_were_changed_are_refused_and_can_be_made_again(toy_corpus):
    summarise(toy_corpus, "extractive", limit=5)
    good = published(toy_corpus)
    table = toy_corpus.folder / "summaries.parquet"
    table.write_bytes(table.read_bytes()[::-1])
    with pytest.raises(CorpusError, match="Make them again") as caught:
        published(toy_corpus)
    assert caught.value.code == "E-SUMMARIES"
    summarise(toy_corpus, "extractive", limit=5)
    assert published(toy_corpus) == good
    table.unlink()
    assert open_corpus(toy_corpus.fingerprint).made_summaries is None


def test_work_that_ended_early_is_found_until_something_is_finished(toy_corpus, endpoint):
    def stopped(limit):
        with pytest.raises(StopRequested):
            by_endpoint(toy_corpus, endpoint, limit=limit, progress=Ends(2, StopRequested()))

    stopped(5)
    found = unfinished(toy_corpus.folder)
    assert (found.done, found.texts, found.request["limit"], found.request["summariser"]) == (2, 5, 5, "endpoint")
    summarise(toy_corpus, "extractive", limit=4)
    assert unfinished(toy_corpus.folder) is None
    by_endpoint(toy_corpus, endpoint, limit=5)
    with pytest.raises(StopRequested):
        by_endpoint(toy_corpus, endpoint, limit=5, seed=3, progress=Ends(1, StopRequested()))
    assert unfinished(toy_corpus.folder)[1:] == (1, 5)
    (newest,) = [file for file in toy_corpus.folder.glob("summaries-*.json") if '"seed": 3' in file.read_text()]
    newest.write_text('{"texts": 5}')  # damaged: as if it were not there
    assert unfinished(toy_corpus.folder) is None


def test_only_a_model_here_waits_for_the_device():
    assert device_of(Summarise(corpus="c", summariser="endpoint")) == "endpoint"
    assert device_of(Summarise(corpus="c", summariser="extractive")) == "extractive"
    assert (
        device_of(Summarise(corpus="c", summariser="local"))
        == device_of(RunSettings(corpus="c"))
        in ("cpu", "cuda", "mps")
    )


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"summariser": "endpiont"}, "Did you mean 'endpoint'"),
        ({"summariser": "endpoint", "settings": {}}, "endpoint.model"),
        ({"summariser": "endpoint", "settings": {"model": "m", "url": "ftp://x"}}, "neither http nor https"),
        ({"summariser": "local", "settings": {"model": "gpt2"}}, "hf:owner/name"),
        ({"summariser": "extractive", "continuations": 0}, "'continuations'"),
        ({"summariser": "extractive", "settings": {"n": 3}}, "Choose from: words"),
    ],
)
def test_wrong_settings_are_one_sentence(toy_corpus, asked, says):
    with pytest.raises(EmbedlabError) as caught:
        summarise(toy_corpus, **asked)
    assert says in caught.value.message and caught.value.exit_code == 2


def test_every_part_has_a_form():
    assert SUMMARISERS.keys() == ["local", "endpoint", "extractive"]
    assert all(field.description for part in SUMMARISERS for field in part.config_class.model_fields.values())
    assert len(SUMMARISERS["local"].prompts) == 5 and SUMMARISERS["extractive"].prompts == ()


def test_the_same_row_made_twice_counts_once(toy_corpus):
    summarise(toy_corpus, "extractive", limit=3)
    (file,) = toy_corpus.folder.glob("summaries-*.jsonl")
    file.write_bytes(file.read_bytes() * 2)
    assert summarise(toy_corpus, "extractive", limit=3)["texts"] == 3
    assert sum(map(bool, published(toy_corpus))) == 3
