"""Summaries of a stored corpus, by a language model here or at an endpoint, or by the extractive stand-in."""

from embedlab.config import validated
from embedlab.corpora.base import open_corpus
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json
from embedlab.summaries import SUMMARISERS
from embedlab.summaries.making import Making, SummariesAsked, chosen_texts, estimate, make


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``corpus summariser settings continuations limit estimate`` -> ``summaries.parquet`` beside the corpus."""
    wanted = validated(SummariesAsked, asked, where="summaries")
    corpus, part = open_corpus(wanted.corpus), SUMMARISERS[wanted.summariser]
    config = validated(part.config_class, wanted.settings, where=part.key)
    texts = chosen_texts(corpus, wanted.limit)
    summariser = part(config, continuations=wanted.continuations)
    summariser.prepare(progress)
    making = Making(corpus, texts, summariser)
    write_json(folder.result, estimate(making, progress) if wanted.estimate else make(making, wanted, progress))
