"""Options that several commands share, and the corpora, pairs and sets that they name, with a note on how each was
read.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from embedlab.cli.arguments import Json, Option, given, options
from embedlab.cli.terminal import Terminal
from embedlab.config import validated
from embedlab.distance import Distance
from embedlab.errors import SettingsError
from embedlab.paths import absolute
from embedlab.runs import readers
from embedlab.runs.store import fingerprint_of, open_run

if TYPE_CHECKING:  # lists of commands share this file, and read no corpus
    from embedlab.corpora.base import Corpus
    from embedlab.corpora.sets.reading import SetReading
    from embedlab.corpora.sets.stored import EvaluationSet
    from embedlab.corpora.sets.stored import GivenPairs as StoredPairs
    from embedlab.corpora.stored.shelf import StoredInfo


@options("how the file is parsed; by default detected from its content")
class Parsing:
    """Options for parsing a file, whatever it holds: the fields of ``ReadOptions``."""

    encoding: Annotated[str | None, Option("such as cp1252")] = None
    separator: Annotated[str | None, Option("comma, semicolon, tab, bar, space, or the character itself", "NAME")] = (
        None
    )
    quoting: Annotated[str | None, Option("doubled, backslash, single or none: how quotes are escaped", "KIND")] = None
    sheet: Annotated[str | None, Option("the sheet of a workbook", "NAME")] = None
    header_row: Annotated[int | None, Option("the row of column names, from 1; 0 for none", "N")] = None
    accept_reading: Annotated[bool | None, Option("accept this reading in spite of doubts about it")] = None


@options("reading the corpus; by default inferred from names and content")
class CorpusReading:
    """The roles of a corpus's columns, and how its file is parsed."""

    text: str | None = None
    label: str | None = None
    title: str | None = None
    unlabeled: Annotated[str | None, Option(metavar="VALUE")] = None
    summaries: Annotated[str | None, Option(metavar="COL[,COL…]")] = None
    parsing: Parsing


def words_of(written: str) -> list[str]:
    """``a, b`` -> a and b."""
    return [each.strip() for each in written.split(",") if each.strip()]


def corpus_of(corpus: str | None, run: str | None, reading: CorpusReading, terminal: Terminal) -> "Corpus":
    """``--corpus`` with its reading options, else the corpus of ``--run``."""
    from embedlab.corpora.base import open_corpus

    if corpus is not None:
        return load(corpus, reading, terminal)
    if run is None:
        raise SettingsError("E-COMMAND", "A corpus is needed: specify one with --corpus (docs is built in).")
    return open_corpus(fingerprint_of(open_run(run)))


def load(reference: str, reading: CorpusReading, terminal: Terminal, *, in_worker: bool = False) -> "Corpus":
    """The corpus of a reference: from the store, the disk or, in a worker that may connect, the network.

    ``in_worker``: what is not stored yet is read by a worker in any case, and this process stays small.
    """
    from embedlab.corpora.proposal import Reading
    from embedlab.tasks.fetch import corpus_first

    typed = given(reading) | given(reading.parsing)
    if reading.summaries is not None:
        typed["summaries"] = words_of(reading.summaries)
    corpus = corpus_first(reference, validated(Reading, typed), terminal, in_worker=in_worker)
    terminal.reading = terminal.reading or corpus.info.reading
    note_reading(corpus.info, terminal)
    readers.note_reading(corpus.fingerprint)
    return corpus


def scale_of(written: str | None) -> tuple[float, float] | None:
    """``0,5`` -> the lowest and the highest score."""
    if written is None:
        return None
    try:
        low, high = map(float, written.split(","))
        if low < high:
            return low, high
    except ValueError:
        pass
    raise SettingsError(
        "E-SCALE", f"--scale needs the lowest and the highest score, such as 0,5, but found {written!r}."
    )


def output_file(name: str, ending: str) -> Path:
    """The path that a command writes to; its folder must exist."""
    if "\0" in name:
        raise SettingsError("E-OUT", f"The name of a file has no zero byte, but --out is {name!r}. Choose another.")
    path = Path(absolute(name))
    if path.suffix != ending:
        raise SettingsError("E-OUT", f"--out needs a file ending in {ending}, but found {name!r}.")
    if not path.parent.is_dir():
        raise SettingsError("E-OUT", f"The folder of --out {name!r} does not exist. Create it, or choose another.")
    return path


Scale = Annotated[str | None, Option("lowest and highest score (default: the usual one that fits)", "LOW,HIGH")]
Score = Annotated[str | None, Option("the similarity score", "COL")]


@options("given pairs to train on; columns are by default inferred from their names")
class GivenPairs:
    """Files to train on and to judge by."""

    pairs: Annotated[str | None, Option("train on its rows; also hf:owner/name[:configuration[:split]]", "FILE")] = None
    anchor: Annotated[str | None, Option("the first texts", "COL")] = None
    positive: Annotated[str | None, Option("the texts that match them, or are compared with them", "COL")] = None
    negative: Annotated[str | None, Option("texts that do not match them", "COL[,COL…]")] = None
    score: Score = None
    scale: Scale = None
    nli: Annotated[
        str | None, Option("what 0, 1, 2 mean (default: entailment,neutral,contradiction)", "LABEL,LABEL…")
    ] = None
    split: Annotated[str | None, Option("rows whose column split has this value (default: train)")] = None
    judge: Annotated[str | None, Option("pairs or queries that judge before, during and after training", "FILE")] = None
    judge_split: Annotated[str | None, Option("rows of --judge (default: dev, else test)", "SPLIT")] = None
    judge_documents: Annotated[str | None, Option("the texts that the queries of --judge search", "FILE")] = None


@options("reading the file of --on; by default inferred from names and content")
class SetOptions:
    """Columns and files of an evaluation set: fields of ``SetReading``."""

    documents: Annotated[str | None, Option("the texts that its queries search", "FILE")] = None
    queries: Annotated[str | None, Option("the texts of its queries, if it only contains judgments", "FILE")] = None
    split: Annotated[
        str | None, Option("rows whose column split has this value, or these judgments (default: test)")
    ] = None
    anchor: Annotated[str | None, Option("the first texts of pairs", "COL")] = None
    positive: Annotated[str | None, Option("the texts that they are compared with", "COL")] = None
    score: Score = None
    scale: Scale = None
    own: Annotated[
        Literal["leave", "keep"] | None,
        Option("leave a query's own document out, or keep it (default: decided by ids and texts)"),
    ] = None

    def reading(self, parsing: Parsing) -> "SetReading":
        """The options of the set and of its file that were typed."""
        from embedlab.corpora.sets.reading import SetReading

        return validated(SetReading, given(parsing) | given(self) | {"scale": scale_of(self.scale)})


def read_pair_files(files: GivenPairs, parsing: Parsing, terminal: Terminal, *, with_corpus: bool) -> dict[str, str]:
    """The settings ``pairs`` and ``judge`` as fingerprints; ``with_corpus`` also that of the pairs' own texts."""
    fingerprints = {}
    named = {name: value for name, value in given(files).items() if not name.startswith("judge")}
    path = named.pop("pairs", None)
    if path is not None:
        pairs, corpus = read_pairs(path, named, parsing, terminal, with_corpus=with_corpus)
        terminal.reading = pairs.info.reading
        fingerprints["pairs"] = pairs.fingerprint
        if corpus is not None:
            fingerprints["corpus"] = corpus
    elif named:
        raise SettingsError(
            "E-COMMAND", f"--{next(iter(named))} describes given pairs. Give their file with --pairs FILE."
        )
    judge = read_judge(files.judge, files.judge_split, files.judge_documents, terminal)
    return fingerprints if judge is None else {**fingerprints, "judge": judge}


def read_pairs(
    path: str, columns: Json, parsing: Parsing, terminal: Terminal, *, with_corpus: bool
) -> "tuple[StoredPairs, str | None]":
    """A file of pairs, by now in the store, and the corpus of their texts. ``columns``: options for them, as typed."""
    from embedlab.corpora.sets.pairs import PairReading
    from embedlab.corpora.sets.stored import open_pairs
    from embedlab.jobs.requests.corpora import AddedPairs, ReadPairs
    from embedlab.jobs.runner import done_by_worker
    from embedlab.tasks.fetch import table_first

    lists = {name: words_of(columns[name]) for name in ("negative", "nli") if name in columns}
    reading = validated(PairReading, columns | lists | given(parsing) | {"scale": scale_of(columns.get("scale"))})
    file = table_first(path, ("train",), terminal, terminal.note)
    added = done_by_worker(ReadPairs(path=file, reading=reading, with_corpus=with_corpus), AddedPairs, terminal)
    note_reading(added.pairs, terminal)
    return open_pairs(added.fingerprint), added.corpus


def read_test_set(
    file: str,
    parsing: Parsing,
    terminal: Terminal,
    options: SetOptions = SetOptions(),  # noqa: B008 (frozen)
) -> "EvaluationSet":
    """The evaluation set in a file, after a note on how it was read."""
    from embedlab.corpora.sets.reading import read_set
    from embedlab.tasks.fetch import table_first

    path = table_first(file, ("test",), terminal, terminal.note)
    evaluation_set = read_set(path, options.reading(parsing), progress=terminal)
    note_reading(evaluation_set.info, terminal)
    return evaluation_set


def read_judge(file: str | None, split: str | None, documents: str | None, terminal: Terminal) -> str | None:
    """A judging file in the store, by its fingerprint; None if none is named."""
    if file is None:
        return None
    from embedlab.corpora.sets.reading import SetReading
    from embedlab.jobs.requests.corpora import AddedSet, ReadSet
    from embedlab.jobs.runner import done_by_worker
    from embedlab.tasks.corpora import JUDGING_SPLITS
    from embedlab.tasks.fetch import table_first

    reading = SetReading(split=split or None, documents=documents or None)
    path = table_first(file, JUDGING_SPLITS, terminal, terminal.note)
    added = done_by_worker(ReadSet(path=path, reading=reading, judges=True), AddedSet, terminal)
    note_reading(added.set, terminal)
    return added.fingerprint


def note_reading(info: "StoredInfo", terminal: Terminal) -> None:
    """Print how a corpus, set or pairs were read, and other remarks."""
    if info.reading is not None:
        terminal.note(info.reading.sentence)
    for note in info.notes:
        terminal.note(note.message)


VECTORS = "FILE.npy|.npz|.parquet"
RunId = Annotated[str, Option(metavar="ID")]
NamedRun = Annotated[str, Option(metavar="ID", names="run")]  # its remarks are printed with the result
Sets = Annotated[tuple[str, ...], Option(metavar="SETTING=VALUE", flag="--set")]
Executor = Annotated[str | None, Option("local, ray or slurm; see executors", "EXECUTOR")]
CorpusOrItsRun = Annotated[str | None, Option("required without --run")]
Column = Annotated[str | None, Option("the list column, stem of numbered columns or array that holds the embeddings")]
PrintedBy = Annotated[
    Distance, Option("the distance of kNN accuracy that is printed and drawn (default: cosine); --json has both")
]


@options(only_one=True, required=True)
class RunOrEncoder:
    """The run or encoder that embeds texts."""

    run: NamedRun | None = None
    encoder: Annotated[str | None, Option(names="encoder")] = None

    @property
    def reference(self) -> str:
        """The encoder's reference if there is no run."""
        assert self.encoder is not None, "the parser requires one of the two"
        return self.encoder


@options(only_one=True)
class Following:
    """Whether a run, study or Find is followed to its end."""

    wait: Annotated[bool, Option("wait for its end (default)")] = False
    detach: Annotated[bool, Option("return at once; it keeps running")] = False


@options()
class FanningOut:
    """The executor of a study's runs, and how many run at once."""

    on: Executor = None
    at_once: Annotated[
        int | None,
        Option(
            "at most this many runs at once (default: as many as the executor has room for; one on this computer)", "N"
        ),
    ] = None


@options()
class OwnVectors:
    """The column of a file that holds the vectors, and how they are joined with the corpus."""

    column: Column = None
    vector_ids: Annotated[
        str | None,
        Option(
            "join the vectors with the corpus by this column of their file, by row numbers or by the order (default: "
            "a column of ids that both have, else by row)",
            "COLUMN|row|order",
        ),
    ] = None
    as_numbers: Annotated[bool, Option("read one-byte numbers as they are, never as eight packed bits")] = False


@options()
class Post:
    """The post-processing step applied to the finished vectors, and its settings."""

    post: Annotated[str, Option("apply this step to the finished vectors", "none|centre|whiten|flow")] = "none"
    sets: Annotated[tuple[str, ...], Option("such as post.flow.epochs=5", "SETTING=VALUE", flag="--set")] = ()


@options()
class PostSteps(Post):
    """Post-processing steps, each applied to the finished vectors, and their settings."""

    post: Annotated[str, Option("also measure after each of these steps", "none|centre,whiten,flow")] = "none"
