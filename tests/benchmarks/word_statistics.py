"""The start from word statistics by its powers and dimensions: kNN accuracy by cosine of development texts, untouched.

python -m tests.benchmarks.word_statistics posts,docs,iclr,arxiv

Powers of idf, of the norm and of the singular values, then dimensions; corpora as in on_development.py.
"""

import itertools
import sys

import numpy as np

from embedlab.encoders import from_corpus
from embedlab.encoders.embed import embed
from embedlab.encoders.from_corpus import SourceTexts, corpus_tokenizer
from embedlab.encoders.token_layer import TokenLayer
from embedlab.metrics.split import development_split, paper_split
from embedlab.metrics.tfidf import tfidf_embeddings
from tests.benchmarks.on_development import corpus_named, measured

TRIED = [(powers, 300) for powers in itertools.product((1, 2, 3), (0, 0.5, 1), (0, 0.5))]
TRIED += [((2, 0.5, 0.5), dim) for dim in (100, 200, 500)]
NAMES = ("_IDF_POWER", "_NORM_POWER", "_VALUE_POWER")


def main(names: str) -> None:
    """A table: a row each, a column a corpus."""
    corpora = [corpus_named(name) for name in names.split(",")]
    columns = [list(_values(corpus)) for corpus in corpora]
    print(f"| idf, norm, values | dimensions | {' | '.join(names.split(','))} |\n" + "|---" * (2 + len(corpora)) + "|")
    labels = ["TF-IDF | –", *(f"{', '.join(f'{power:g}' for power in powers)} | {dim}" for powers, dim in TRIED)]
    for label, values in zip(labels, zip(*columns, strict=True), strict=True):
        print(f"| {label} | {' | '.join(f'{100 * value:.1f}' for value in values)} |")


def _values(corpus):
    development = development_split(paper_split(corpus.texts, corpus.labels, corpus.kept), corpus.copies)
    yield measured(tfidf_embeddings(corpus.texts), corpus, development)["cosine"]
    source = SourceTexts.of("words", corpus, None)
    tokenizer = corpus_tokenizer(source.texts, source.key, 30_522)
    blank = TokenLayer.of_words(tokenizer)
    tokens = blank.tokenize(corpus.texts.at(source.distinct(from_corpus.MOST_TEXTS, seed=0)))
    for powers, dim in TRIED:
        for name, power in zip(NAMES, powers, strict=True):
            setattr(from_corpus, name, power)
        weight = from_corpus.word_vectors(tokens, blank.vocabulary_size, dim=dim, seed=0)
        encoder = TokenLayer.of_words(tokenizer, weight)
        vectors = np.zeros((corpus.info.rows, encoder.dim), np.float32)
        vectors[corpus.labelled] = embed(encoder, [corpus.texts[row] for row in corpus.labelled])
        yield measured(vectors, corpus, development)["cosine"]


if __name__ == "__main__":
    main(sys.argv[1])
