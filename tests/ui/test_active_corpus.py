"""Which job brings a corpus now."""

import pytest
from doing import queued

from embedlab.jobs.requests.corpora import FetchCorpus, FetchEncoder
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.ui.frame.progress import active_corpus_job


def test_a_newer_download_of_an_encoder_hides_no_corpus(store):
    assert active_corpus_job() is None
    corpus = queued(FetchCorpus(corpus="hf:owner/name"))
    encoder = queued(FetchEncoder(encoder="minilm-hub"))
    assert active_corpus_job() == corpus
    write_state(encoder, State.FINISHED)
    assert active_corpus_job() == corpus
    write_state(corpus, State.FINISHED)
    assert active_corpus_job() is None


@pytest.mark.parametrize("task", ["ingest", "fetch"])
def test_a_finished_one_hides_none_at_work(store, task):
    at_work = create_run(task, {"reference": "a.csv"})
    write_state(create_run(task, {"reference": "b.csv"}), State.FINISHED)
    assert active_corpus_job() == at_work
