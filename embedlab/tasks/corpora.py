"""Corpora and evaluation sets into the store: read from files, or made of chosen texts."""

from embedlab.augmentations.crop import number_of_crops
from embedlab.config import validated
from embedlab.corpora import Reading, load_corpus
from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.corpora.checkup import kept_checkup
from embedlab.corpora.files import FileSource
from embedlab.corpora.pairs.reading import PairReading, read_pairs
from embedlab.corpora.set_files import read_set
from embedlab.corpora.subset import subset
from embedlab.runs.folder import RunFolder
from embedlab.runs.selections import open_selection, rows_of
from embedlab.store_root import write_json
from embedlab.summaries import SUMMARISERS
from embedlab.summaries.making import Making, SummariesAsked, chosen_texts, estimate, make

JUDGING_SPLITS = ("dev", "validation", "val", "test")  # of a file that judges training, the first that is there


def read_evaluation_set(folder: RunFolder, asked: dict, progress) -> None:
    """``path``, ``reading`` (fields of ``SetReading``), ``file_name`` -> a stored set.

    ``judges``: it is to judge training, so its development split is the usual one. Its fingerprint is the result;
    ``file_name`` is what the user calls the file of an upload.
    """
    found = read_set(
        asked["path"],
        usual=JUDGING_SPLITS if asked.get("judges") else ("test",),
        file_name=asked.get("file_name", ""),
        progress=progress,
        **asked.get("reading", {}),
    )
    write_json(folder.result, {"fingerprint": found.fingerprint, "set": found.info.model_dump(mode="json")})


def read_given_pairs(folder: RunFolder, asked: dict, progress) -> None:
    """``path``, ``reading``, ``file_name`` -> stored pairs; ``with_corpus``: their texts as a corpus too.

    Fingerprints of both are the result; ``corpus`` is None where it is not asked for.
    """
    reading = validated(PairReading, asked.get("reading", {}))
    found = read_pairs(asked["path"], reading, progress, file_name=asked.get("file_name", ""))
    corpus = None
    if asked.get("with_corpus"):
        progress(f"Storing {len(found.texts):,} texts of the pairs", 0, 0)
        draft = Draft(name=f"{found.info.name}, texts of the pairs", source=found.info.source, texts=found.texts)
        corpus = store_corpus(draft)
        kept_checkup(corpus, crops_of=number_of_crops)
    write_json(
        folder.result,
        {
            "fingerprint": found.fingerprint,
            "pairs": found.info.model_dump(mode="json"),
            "corpus": None if corpus is None else corpus.fingerprint,
        },
    )


def ingest(folder: RunFolder, asked: dict, progress) -> None:
    """``reference`` and ``reading`` -> a stored corpus; its fingerprint is the result.

    ``file_name``: what the user calls a file that is given by its path; an upload's path is a name of ours.
    """
    reading = validated(Reading, asked.get("reading", {}))
    if asked.get("file_name"):
        corpus = FileSource().load(asked["reference"], reading, progress, name=asked["file_name"])
    else:
        corpus = load_corpus(asked["reference"], reading, progress=progress)
    progress(f"Checking {corpus.info.texts:,} texts for copies, lengths and crops", 0, 0)
    kept_checkup(corpus, crops_of=number_of_crops)
    write_json(folder.result, {"fingerprint": corpus.info.fingerprint, "corpus": corpus.info.model_dump(mode="json")})


def corpus_of_selection(folder: RunFolder, asked: dict, progress) -> None:
    """``selection`` and ``name`` -> a stored corpus; its fingerprint is the result."""
    selection = open_selection(asked["selection"])
    corpus = open_corpus(selection.corpus)
    progress(f"Storing {selection.texts:,} texts of {corpus.name}", 0, 0)
    chosen_by = f"the selection “{selection.name}”"
    made = subset(corpus, rows_of(selection), name=asked.get("name") or selection.name, chosen_by=chosen_by)
    progress(f"Checking {made.info.texts:,} texts for copies, lengths and crops", 0, 0)
    kept_checkup(made, crops_of=number_of_crops)
    write_json(folder.result, {"fingerprint": made.fingerprint, "corpus": made.info.model_dump(mode="json")})


def summarise(folder: RunFolder, asked: dict, progress) -> None:
    """``corpus summariser settings continuations limit estimate`` -> ``summaries.parquet`` beside the corpus."""
    wanted = validated(SummariesAsked, asked, where="summaries")
    corpus, part = open_corpus(wanted.corpus), SUMMARISERS[wanted.summariser]
    config = validated(part.config_class, wanted.settings, where=part.key)
    texts = chosen_texts(corpus, wanted.limit)
    summariser = part(config, continuations=wanted.continuations)
    summariser.prepare(progress)
    making = Making(corpus, texts, summariser)
    write_json(folder.result, estimate(making, progress) if wanted.estimate else make(making, wanted, progress))
