"""Corpora and evaluation sets added to the store: read from files, or made from selected texts."""

from embedlab.config import validated
from embedlab.corpora import load_corpus
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.corpora.files import FileSource
from embedlab.corpora.made_summaries import summaries_file
from embedlab.corpora.sets.pairs import corpus_of_pairs, read_pairs
from embedlab.corpora.sets.reading import read_set
from embedlab.finds.labelling import texts_to_label
from embedlab.jobs.requests.corpora import (
    AddedCorpus,
    AddedPairs,
    AddedSet,
    ChooseTexts,
    MakeSubset,
    ReadCorpus,
    ReadPairs,
    ReadSet,
    Summarise,
)
from embedlab.numbers import counted
from embedlab.progress import Progress
from embedlab.report.checkup import kept_checkup
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import ask_for, hand_labels_of
from embedlab.runs.selections import open_selection, rows_of, subset
from embedlab.store_root import write_json
from embedlab.summaries import SUMMARISERS
from embedlab.tasks.summarising import Making, chosen_texts, estimate, make

JUDGING_SPLITS = ("dev", "validation", "val", "test")  # of a file that judges training, the first that is there


def read_evaluation_set(folder: RunFolder, request: ReadSet, progress: Progress) -> None:
    """A file becomes a set in the store."""
    evaluation_set = read_set(
        request.path,
        request.reading,
        usual=JUDGING_SPLITS if request.judges else ("test",),
        file_name=request.file_name,
        progress=progress,
    )
    added = AddedSet(fingerprint=evaluation_set.fingerprint, set=evaluation_set.info)
    write_json(folder.result, added.model_dump(mode="json"))


def read_given_pairs(folder: RunFolder, request: ReadPairs, progress: Progress) -> None:
    """Pairs in the store, and their texts as a corpus if requested."""
    pairs = read_pairs(request.path, request.reading, progress, file_name=request.file_name)
    corpus = None
    if request.with_corpus:
        progress(f"Storing {counted(len(pairs.texts), 'text')} of the pairs", 0, 0)
        corpus = corpus_of_pairs(pairs)
        kept_checkup(corpus)
    of_texts = None if corpus is None else corpus.fingerprint
    added = AddedPairs(fingerprint=pairs.fingerprint, pairs=pairs.info, corpus=of_texts)
    write_json(folder.result, added.model_dump(mode="json"))


def ingest(folder: RunFolder, request: ReadCorpus, progress: Progress) -> None:
    """A file or another source becomes a corpus in the store."""
    if request.file_name:
        corpus = FileSource().load(request.reference, request.reading, progress, name=request.file_name)
    else:
        corpus = load_corpus(request.reference, request.reading, progress=progress)
    _check(folder, corpus, progress)


def corpus_of_selection(folder: RunFolder, request: MakeSubset, progress: Progress) -> None:
    """Selected texts become a corpus of their own."""
    selection = open_selection(request.selection)
    corpus = open_corpus(selection.corpus)
    progress(f"Storing {counted(selection.texts, 'text')} of {corpus.name}", 0, 0)
    chosen_by = f"the selection “{selection.name}”"
    made = subset(corpus, rows_of(selection), name=request.name or selection.name, chosen_by=chosen_by)
    _check(folder, made, progress)


def _check(folder: RunFolder, corpus: Corpus, progress: Progress) -> None:
    progress(f"Checking {counted(corpus.info.texts, 'text')} for copies, lengths and crops", 0, 0)
    kept_checkup(corpus)
    write_json(folder.result, AddedCorpus(fingerprint=corpus.fingerprint, corpus=corpus.info).model_dump(mode="json"))


def choose_texts(folder: RunFolder, request: ChooseTexts, progress: Progress) -> None:
    """They are stored with the corpus; texts chosen earlier stay chosen."""
    corpus = open_corpus(request.corpus)
    if hand_labels_of(corpus) is None:
        progress(f"Choosing texts to label from the {corpus.info.texts:,} of {corpus.name}", 0, 0)
        ask_for(corpus, texts_to_label(corpus).tolist())
    write_json(folder.result, {"fingerprint": corpus.fingerprint})


def summarise(folder: RunFolder, request: Summarise, progress: Progress) -> None:
    """Writes ``summaries.parquet`` next to the corpus; the result is its cost, or the estimated cost of all."""
    corpus, part = open_corpus(request.corpus), SUMMARISERS[request.summariser]
    config = validated(part.config_class, request.settings, where=part.key)
    texts = chosen_texts(corpus, request.limit)
    summariser = part(config, continuations=request.continuations)
    summariser.prepare(progress)
    making = Making(corpus, texts, summariser)
    if request.estimate:
        write_json(folder.result, estimate(making, progress).model_dump())
        return
    published, tally = make(making, request, progress)
    printed = {"summariser", "model", "extractive", "asked_texts", "texts", "summaries", "sha256"}
    took = {name: getattr(tally, name) for name in ("requests", "tokens_read", "tokens_written")}
    took |= {"seconds": round(tally.seconds, 2), "path": str(summaries_file(corpus.folder))}
    write_json(folder.result, {"corpus": corpus.fingerprint, **published.model_dump(include=printed), **took})
