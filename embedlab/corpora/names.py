"""What columns are usually called, by role and the best name first; which row of a table names them, and how."""

from collections.abc import Sequence
from itertools import chain, count

from embedlab.corpora.notes import is_number
from embedlab.plain_text import clean_name

TEXT_NAMES = "text texts abstract body content document sentence description review comment post message".split()
LABEL_NAMES = "label labels class category topic target label_text subject field genre intent section".split()
SURE_LABEL_NAMES = ("label", "labels", "class", "category", "target")
TITLE_NAMES = "title titles headline heading".split()
SUMMARY_NAMES = "tldr motivation method result conclusion".split()
ANCHOR_NAMES = ["anchor", "sentence1", "query", "question", "question1", "text1", "premise", "sentence_a", "text_a",
                "sent0", "#1 string", "sentence", "text", "context"]  # fmt: skip
POSITIVE_NAMES = ["positive", "sentence2", "document", "answer", "question2", "text2", "hypothesis", "sentence_b",
                  "text_b", "sent1", "#2 string", "entailment", "paraphrase", "passage", "doc", "pos"]  # fmt: skip
NEGATIVE_NAMES = "negative negatives neg hard_neg hard_negative contradiction".split()
DEGREE_NAMES = "score similarity similarity_score relatedness_score relatedness gold_score".split()
NLI_NAMES = "gold_label entailment_label entailment_judgment nli_label".split()
SCORE_NAMES = [*DEGREE_NAMES, "is_duplicate", "is_paraphrase", "duplicate", "quality", NLI_NAMES[0], "label",
               *NLI_NAMES[1:], "entailment"]  # fmt: skip
QUERY_NAMES = ["query", "question"]
QUERY_ID_NAMES = ["query-id", "query_id", "qid", "queryid", "topic_id"]
DOCUMENT_ID_NAMES = ["corpus-id", "corpus_id", "doc_ids", "doc_id", "docid", "docno", "document_id", "doc-id", "pid",
                      "answer_pids"]  # fmt: skip
GRADE_NAMES = ["gain", "grades", "grade", "score", "relevance", "rel", "label"]
ID_NAMES = "id _id doc_id docid text_id uuid".split()
SPLIT_COLUMNS = ("split", "fold", "set", "partition")
ROW_NAMES = "row name"  # of a first column that its header leaves out, as R writes them
NEVER_LABELS = [*"id _id split fold lang language date year source url file path".split(), ROW_NAMES]
KNOWN_NAMES = frozenset(  # that tell a row of names
    [*TEXT_NAMES, *LABEL_NAMES, *TITLE_NAMES, *SUMMARY_NAMES, *ANCHOR_NAMES, *POSITIVE_NAMES, *NEGATIVE_NAMES,
     *SCORE_NAMES, "id", "summaries", "year", "date"]
)  # fmt: skip
SPLIT_NAMES = ("train", "training", "test", "validation", "valid", "val", "dev")
PREAMBLE_ROWS = 10  # that may stand above the names: a title, a comment


def header_rows(rows: Sequence[Sequence[str]], header_row: int | None = None) -> int:
    """The number of rows down to the names of the columns: 1 where the first one names them, 0 where none does.

    More where a later row of known names stands below rows of none, or of fewer cells, such as a title.
    ``header_row``: the user's, which is the first of these rows, or 0 for none.
    """
    if header_row is not None:
        return min(header_row, 1)
    named = next((index for index, row in enumerate(rows[:PREAMBLE_ROWS]) if len(known_names(row)) >= 2), 0)
    if named and not known_names(rows[0]):
        return named + 1
    width = max(map(_filled, rows))
    widest = next((index for index, row in enumerate(rows[:PREAMBLE_ROWS]) if _filled(row) == width), 0)
    if widest and all(_filled(row) <= 1 for row in rows[:widest]) and has_header(rows[widest:]):
        return widest + 1
    return int(has_header(rows))


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: known names, or short distinct words unlike what is below."""
    first = [cell.strip() for cell in rows[0]]
    if known_names(first):
        return True
    named = [cell for cell in first if cell]
    if len(rows) < 2 or len(first) < 2 or not named or len(set(named)) < len(named):
        return False
    if any(len(cell) > 40 or cell.count(" ") > 3 or is_number(cell) for cell in named):
        return False
    below = rows[1:200]
    columns = [[row[column_number] for row in below if column_number < len(row)] for column_number in range(len(first))]
    if any(cell and cell in column for cell, column in zip(first, columns, strict=True)):
        return False  # a name would not come back as a value
    return any(
        column and (all(map(is_number, column)) or sum(map(len, column)) / len(column) > 2 * len(cell) + 10)
        for cell, column in zip(first, columns, strict=True)
    )


def known_names(row: Sequence[str]) -> set[str]:
    """The usual names of columns among some cells."""
    return {cell.strip().casefold() for cell in row} & KNOWN_NAMES


def _filled(row: Sequence[str]) -> int:
    """Cells up to the last one that holds something."""
    return next((width for width in range(len(row), 0, -1) if row[width - 1].strip()), 0)


def unique_names(names: Sequence[str], width: int = 0, *, taken: Sequence[str] = ()) -> list[str]:
    """Column names made distinct: a blank one becomes ``column 3``, a second ``year`` becomes ``year (2)``.

    ``width``: the number of columns, the first of which have names.
    """
    used = dict.fromkeys(taken)
    for number, name in enumerate([*names, *[""] * (width - len(names))], start=1):
        stem = clean_name(name) or f"column {number}"
        forms = chain([stem], (f"{stem} ({copy})" for copy in count(2)))
        used[next(form for form in forms if form not in used)] = None
    return [name for name in used if name not in taken]
