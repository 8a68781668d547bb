"""Labels by hand: which texts to ask for, spread over the corpus, and the CSV that is filled in and read back."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from embedlab.copies import normalised
from embedlab.corpora.base import Corpus
from embedlab.corpora.files import read_table
from embedlab.corpora.proposal import Reading
from embedlab.corpora.stored.draft import as_text
from embedlab.errors import CorpusError
from embedlab.finds.judging import labels_of, width
from embedlab.metrics.tfidf import svd_embeddings, tfidf_embeddings
from embedlab.numbers import counted, duration
from embedlab.runs.hand_labels import HandLabels, give_labels, hand_labels_of
from embedlab.table_files import as_csv_file, csv_of_rows, defused

WANTED = 60  # labels: about ten minutes
ASKED = 2 * WANTED  # at most, so that others follow those that are skipped
FROM = 5_000  # texts that are looked at, of more a sample: ten seconds on two cores
SEED = 45
_SAME = 1e-9  # squared distance of vectors of length one that differ by rounding alone


def texts_to_label(corpus: Corpus) -> np.ndarray:
    """Unlabelled rows in the order in which to ask for them: each text once, far from labelled ones.

    -> (at most ASKED,) int
    """
    rng = np.random.default_rng(SEED)
    rows = corpus.kept
    rows = rows[np.sort(np.unique(corpus.copies[rows], return_index=True)[1])]  # the first of equal texts
    rows = np.sort(rng.permutation(rows)[:FROM])
    labelled = np.isin(rows, corpus.labelled) if corpus.info.has_two_classes else np.zeros(len(rows), bool)
    embeddings = svd_embeddings(tfidf_embeddings([corpus.texts[row] for row in rows]))
    drawn = spread(embeddings, ASKED, rng, first=np.flatnonzero(labelled))
    left = np.setdiff1d(np.flatnonzero(~labelled), drawn)
    return rows[[*drawn, *rng.permutation(left)][:ASKED]]  # of texts with one vector, as without a word, any


def spread(
    embeddings: np.ndarray, count: int, rng: np.random.Generator, *, first: np.ndarray | Sequence[int] = ()
) -> list[int]:
    """Rows drawn one after another, with probability proportional to the squared distance from the nearest drawn row.

    Begins beside those of ``first``, else anywhere, and ends where all others have the vector of a drawn one.
    embeddings: (texts, dim) -> at most ``count`` rows
    """
    drawn: list[int] = []
    nearest = np.full(len(embeddings), np.inf)

    def take(row: int) -> None:
        np.minimum(nearest, np.square(embeddings - embeddings[row]).sum(axis=1), out=nearest)
        nearest[row] = 0.0

    for row in first:
        take(row)
    while len(drawn) < min(count, len(embeddings)):
        if not len(first) and not drawn:
            row = int(rng.integers(len(embeddings)))
        elif (total := np.where(nearest > _SAME, nearest, 0.0).sum()) > 0:
            row = int(rng.choice(len(embeddings), p=np.where(nearest > _SAME, nearest, 0.0) / total))
        else:
            break
        take(row)
        drawn.append(row)
    return drawn


HEADER = ("id", "text", "label")  # id: the corpus row, from 0


def csv_of_labels(corpus: Corpus, given: HandLabels) -> bytes:
    """A row for each text to label, in that order; unlabelled ones have an empty label."""
    rows = [(row, corpus.texts[row], given.labels.get(row)) for row in given.rows]
    return as_csv_file(csv_of_rows([HEADER, *rows]))


def take_labels(corpus: Corpus, path: Path) -> None:
    """Store the labels of a filled file with the corpus."""
    given = hand_labels_of(corpus)
    if given is None:
        raise CorpusError(
            "E-LABEL-FILE",
            f"No texts of {corpus.name!r} have been drawn for labeling yet. Draw them first: python -m embedlab "
            f"find label "
            f"--corpus {corpus.fingerprint} --out labels.csv",
        )
    give_labels(corpus, labels_in(corpus, given, path))


def labels_in(corpus: Corpus, given: HandLabels, path: Path, *, name: str = "") -> dict[int, str]:
    """The labels of a filled file by corpus row; empty ones are skipped, unusable ones refused with their row."""
    table = read_table(path, Reading(), name=name)
    columns = {each.strip().casefold(): each for each in table.columns.column_names}
    if missing := [each for each in HEADER if each not in columns]:
        raise CorpusError(
            "E-LABEL-FILE",
            f"A file of labels has the columns id, text and label, but {table.name!r} has no column {missing[0]!r}. "
            "Download the file here, fill in its column label, and leave the others as they are.",
        )
    ids, texts, labels = (list(table.column(columns[each])) for each in HEADER)
    labels_by_row: dict[int, str] = {}
    for position, (row, text, label) in enumerate(zip(ids, texts, labels, strict=True), start=1):
        written = (as_text(label) or "").strip()
        if written:
            labels_by_row[
                _row_of(corpus, given, as_text(row) or "", as_text(text) or "", f"row {position:,} of {table.name!r}")
            ] = written
    if not labels_by_row:
        raise CorpusError(
            "E-LABEL-FILE", f"The column label of {table.name!r} is empty. Fill it in for some of its texts."
        )
    return labels_by_row


def _row_of(corpus: Corpus, given: HandLabels, written: str, text: str, where: str) -> int:
    row = int(written) if written.strip().isdecimal() else -1
    if row not in given.rows:
        raise CorpusError(
            "E-LABEL-FILE",
            f"The id {written!r} in {where} is not one of the texts to label. Use the file of this corpus.",
        )
    corpus_text = corpus.texts[row]
    if normalised(text) not in (normalised(corpus_text), normalised(str(defused(corpus_text)))):
        raise CorpusError(
            "E-LABEL-FILE",
            f"The text in {where} is not that of row {row:,} of {corpus.name!r}. Keep each id with its text, as in "
            f"the file.",
        )
    return row


SECONDS_EACH = 10


def label_names(corpus: Corpus, given: HandLabels) -> list[str]:
    """Labels so far in the order of their first texts, so that each keeps its place and digit; then the corpus's."""
    used = [given.labels[row] for row in given.rows if row in given.labels]
    classes = [each.label for each in corpus.info.classes] if corpus.info.has_two_classes else []
    return list(dict.fromkeys([*used, *classes]))


def texts_wanted(corpus: Corpus) -> str:
    """``sixty texts``; for a smaller corpus the number of its texts."""
    texts = texts_left(corpus)
    return "sixty texts" if texts == WANTED else counted(texts, "text")


def labelling_explained(corpus: Corpus) -> str:
    """Says how long labelling takes, what the labels are for, and how wide the interval will be."""
    texts = texts_left(corpus)
    judging = (len(labels_of(corpus, None)) + texts) // 2
    return (
        f"Label {texts_wanted(corpus)} here, which takes about {duration(SECONDS_EACH * texts)}. They are spread over "
        f"the corpus; half of the labels choose the encoder, the other half give the verdict. {width(max(judging, 1))}"
    )


def texts_left(corpus: Corpus) -> int:
    """How many texts without a label are to be given one."""
    unlabelled = corpus.info.texts - (corpus.info.labelled if corpus.info.has_two_classes else 0)
    return min(WANTED, unlabelled)
