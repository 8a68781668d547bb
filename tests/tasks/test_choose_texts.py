"""What a worker does that chooses texts to label: they stand beside the corpus, and stay where they are there."""

from doing import do

from embedlab.corpora.base import Draft, store_corpus
from embedlab.finds.labelling import ASKED, texts_to_label
from embedlab.runs.hand_labels import give_labels, hand_labels_of
from embedlab.store_root import read_json


def test_chosen_texts_stay_chosen_with_their_labels(store, toy_corpus):
    corpus = store_corpus(Draft(name="mine", source="x", texts=list(toy_corpus.texts)))
    job = do("choose_texts", {"corpus": corpus.fingerprint})
    assert read_json(job.result)["fingerprint"] == corpus.fingerprint
    given = hand_labels_of(corpus)
    assert given.rows == tuple(texts_to_label(corpus)) and len(given.rows) == ASKED and given.labels == {}
    give_labels(corpus, {given.rows[0]: "law"})
    do("choose_texts", {"corpus": corpus.fingerprint})
    assert hand_labels_of(corpus).labels == {given.rows[0]: "law"}
