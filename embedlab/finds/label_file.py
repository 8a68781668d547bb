"""The texts to label as a CSV: filled in with a spreadsheet and read back, or read as a labelled corpus of its own."""

from pathlib import Path

from embedlab.copies import normalised
from embedlab.corpora.base import Corpus
from embedlab.corpora.files import read_table
from embedlab.corpora.hand_labels import HandLabels, give_labels, hand_labels_of
from embedlab.corpora.proposal import Reading
from embedlab.corpora.stored.draft import as_text
from embedlab.errors import CorpusError
from embedlab.table_files import as_csv_file, csv_of_rows, defused

HEADER = ("id", "text", "label")  # id: the corpus row, from 0


def csv_of_labels(corpus: Corpus, given: HandLabels) -> bytes:
    """A row for each text that is asked for, in that order; the label is empty where there is none yet."""
    rows = [(row, corpus.texts[row], given.labels.get(row)) for row in given.rows]
    return as_csv_file(csv_of_rows([HEADER, *rows]))


def take_labels(corpus: Corpus, path: Path) -> None:
    """Keep the labels of a filled file beside the corpus."""
    given = hand_labels_of(corpus)
    if given is None:
        raise CorpusError(
            "E-LABEL-FILE",
            f"No texts of {corpus.name!r} have been drawn for labelling yet. Draw them first: python -m embedlab "
            f"find label "
            f"--corpus {corpus.fingerprint} --out labels.csv",
        )
    give_labels(corpus, labels_in(corpus, given, path))


def labels_in(corpus: Corpus, given: HandLabels, path: Path, *, name: str = "") -> dict[int, str]:
    """The labels of a filled file by corpus row; rows without one are left out, others are refused with their place."""
    table = read_table(path, Reading(), name=name)
    columns = {each.strip().casefold(): each for each in table.columns.column_names}
    if missing := [each for each in HEADER if each not in columns]:
        raise CorpusError(
            "E-LABEL-FILE",
            f"A file of labels has the columns id, text and label, but {table.name!r} has no column {missing[0]!r}. "
            "Download the file here, fill in its column label, and leave the others as they are.",
        )
    ids, texts, labels = (list(table.column(columns[each])) for each in HEADER)
    found: dict[int, str] = {}
    for place, (row, text, label) in enumerate(zip(ids, texts, labels, strict=True), start=1):
        written = (as_text(label) or "").strip()
        if written:
            found[
                _row_of(corpus, given, as_text(row) or "", as_text(text) or "", f"row {place:,} of {table.name!r}")
            ] = written
    if not found:
        raise CorpusError(
            "E-LABEL-FILE", f"The column label of {table.name!r} is empty. Fill it in for some of its texts."
        )
    return found


def _row_of(corpus: Corpus, given: HandLabels, written: str, text: str, place: str) -> int:
    row = int(written) if written.strip().isdecimal() else -1
    if row not in given.rows:
        raise CorpusError(
            "E-LABEL-FILE",
            f"The id {written!r} in {place} is not one of the texts to label. Use the file of this corpus.",
        )
    own = corpus.texts[row]
    if normalised(text) not in (normalised(own), normalised(str(defused(own)))):
        raise CorpusError(
            "E-LABEL-FILE",
            f"The text in {place} is not that of row {row:,} of {corpus.name!r}. Keep each id with its text, as in "
            f"the file.",
        )
    return row
