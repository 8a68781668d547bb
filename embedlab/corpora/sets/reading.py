"""From files to an evaluation set: which columns each kind needs, and what is wrong with a row, in a sentence."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from pydantic import Field

from embedlab.config import PathText
from embedlab.corpora.files import read_table
from embedlab.corpora.names import SCORE_NAMES
from embedlab.corpora.notes import ReadingReport, ReadOptions
from embedlab.corpora.sets.judgements import is_judged, judgement_in, text_columns
from embedlab.corpora.sets.layouts import RetrievalFiles, files_beside, unpacked_if_zip
from embedlab.corpora.sets.queries import JudgedQueries, is_of_queries, judgements_of, queries_of, with_names
from embedlab.corpora.sets.stored import EvaluationSet, store_set, strings
from embedlab.corpora.tables import Table, number_of
from embedlab.errors import CorpusError
from embedlab.numbers import counted
from embedlab.progress import Progress, silent

SHAPES = (
    "pairs: sentence1, sentence2 and score or is_paraphrase (true, false, empty for undecided)",
    "queries: query, doc_ids (a list, or one per row) and optionally gain or grades, with a documents file: doc_id, "
    "text",
    "judgments: query-id, corpus-id and score, or TREC's four columns, with files of queries and of documents",
    "candidates: query, positive and negative (lists of texts)",
)


class SetReading(ReadOptions):
    """The user's choices for an evaluation set; those left out are proposed from names and content."""

    documents: PathText | None = Field(None, description="The file of the texts that the queries search.")
    queries: PathText | None = Field(None, description="The file of the queries' texts, for a file of judgments.")
    split: str | None = Field(None, description="Rows whose column split has this value, or judgments of this split.")
    anchor: str | None = Field(None, description="The column of the first texts of pairs.")
    positive: str | None = Field(None, description="The column of the texts to compare them with.")
    score: str | None = Field(None, description="The column of similarity scores.")
    scale: tuple[float, float] | None = Field(None, description="Lowest and highest score; detected if not given.")
    own: Literal["leave", "keep"] | None = Field(None, description="Whether a query may retrieve itself.")
    name: str = Field("", description="The name of the set.")


def read_set(
    path: str,
    settings: SetReading = SetReading(),  # noqa: B008 (frozen)
    *,
    usual: tuple[str, ...] = ("test",),
    file_name: str = "",
    progress: Progress = silent,
) -> EvaluationSet:
    """Read, check and store the set that a file, or a folder as BEIR keeps them, holds.

    Without ``split`` the first of the ``usual`` values that is there. ``file_name`` is what the user calls the file of
    an upload.
    """
    location = Path(path).expanduser()
    file_name = file_name or location.name
    with unpacked_if_zip(location, file_name) as folder:
        rows, split, paths = _rows(location, folder, settings, usual, progress, file_name)
        rows.name = (settings.name or Path(file_name).stem) + (f", {split}" if split not in (None, "", "test") else "")
        if folder is not None or is_of_queries(rows):
            documents, queries, files = _documents_of(location, folder, paths, rows, settings, progress)
            tables = queries_of(rows, documents, queries, files, self_retrieval=settings.own)
            serves: tuple[str, ...] = ("retrieval",)
        elif {"query", "positive", "negative"} <= set(rows.columns.column_names) and not settings.score:
            serves, tables = ("reranking",), _candidates(rows)
        else:
            serves, tables = _pairs(rows, settings)
    kind, *_ = tables
    described = {"name": rows.name, "source": file_name, "notes": tuple(rows.notes), "reading": rows.report}
    return store_set(tables, kind=kind, serves=serves, **described)


def read_judgements(
    path: str,
    settings: SetReading = SetReading(),  # noqa: B008 (frozen)
    *,
    progress: Progress = silent,
) -> tuple[JudgedQueries, ReadingReport]:
    """The judgements of a file or folder alone, without the texts."""
    location = Path(path).expanduser()
    with unpacked_if_zip(location, location.name) as folder:
        rows, *_ = _rows(location, folder, settings, ("test",), progress, location.name)
    rows.name = location.name
    if not is_of_queries(rows):
        raise CorpusError("E-SET-COLUMNS", f"{location.name!r} contains no judgments. Expected: {SHAPES[2]}.")
    judged = judgements_of(rows)
    return judged, rows.report


def read_ranking(path: str, *, progress: Progress = silent) -> tuple[dict[str, dict[str, float]], ReadingReport]:
    """A run file of TREC: the score of each document that was ranked for a query, by their ids."""
    location = Path(path).expanduser()
    table = with_names(read_table(location, SetReading(), progress).sound(SetReading()), ranks=True)
    if not {"rank", "tag"} <= set(table.columns.column_names):
        message = f"{location.name!r} is not a TREC run file: each row needs query, Q0, document, rank, score and tag."
        raise CorpusError("E-RANKING", message)
    scores: dict[str, dict[str, float]] = {}
    columns = (table.columns.column(name).to_pylist() for name in ("query-id", "corpus-id", "score"))
    for row, (query, document, written) in enumerate(zip(*columns, strict=True), start=1):
        score = number_of(written)
        if score is None:
            place = f"column 'score' of row {row:,} of {location.name!r}"
            raise CorpusError("E-RANKING", f"Scores are finite numbers, but {place} is {written!r}. Correct it.")
        scores.setdefault(query, {})[document] = score
    return scores, table.report.having(rows=len(table.columns))


def _rows(
    location: Path,
    folder: RetrievalFiles | None,
    settings: SetReading,
    usual: Sequence[str],
    progress: Progress,
    name: str,
) -> tuple[Table, str | None, list[Path]]:
    """The rows of the split, of a file or of a folder's judgements; which split that is, which files of the folder."""
    if folder is None:
        # with names there may be more that speaks against the reading
        file = with_names(read_table(location, settings, progress, name=name).sound(settings)).sound(settings)
        return *file.of_split(settings.split, usual), []
    split, paths = folder.of_split(settings.split, usual)
    file = with_names(folder.joined(paths, settings, progress)).sound(settings)
    layout = "BEIR folder" if location.is_dir() else "zip of a BEIR folder"
    file.report = file.report.having(format=f"{layout}, {file.report.format}")
    return file, split, paths


def _documents_of(
    location: Path,
    folder: RetrievalFiles | None,
    qrels: list[Path],
    judgements: Table,
    settings: SetReading,
    progress: Progress,
) -> tuple[Table, Table | None, str]:
    """The documents and queries of judgements, those that are named, else those of the folder they lie in; which."""

    def named(file: str | None) -> Table | None:
        return None if not file else read_table(Path(file).expanduser(), settings, progress).sound(settings)

    documents, queries = named(settings.documents), named(settings.queries)
    has_texts = "query" in {column.casefold() for column in judgements.columns.column_names}
    if documents is not None and (queries is not None or has_texts):
        return documents, queries, ""
    folder = folder or files_beside(location)
    if folder is None or not (folder.queries or has_texts or queries):
        has_documents = folder is not None or documents is not None
        needed = "their texts (--queries)" if has_documents else "the documents they search (--documents)"
        message = f"{judgements.name!r} contains queries or their judgments; {needed} are needed too. Give their file."
        raise CorpusError("E-DOCUMENTS", message)
    if documents is None:
        documents = folder.joined(folder.documents, settings, progress)
    if queries is None and folder.queries and not has_texts:
        queries = folder.joined(folder.queries, settings, progress)
    return documents, queries, folder.sentence(qrels)


def _pairs(rows: Table, settings: SetReading) -> tuple[tuple[str, ...], dict[str, pa.Table]]:
    """The metrics that pairs serve, and the table of pairs."""
    name, columns = rows.name, rows.columns.column_names
    rows.require_columns((settings.anchor, settings.positive, settings.score))
    first, second, near, _ = text_columns(rows, settings.anchor, settings.positive, [settings.score])
    called = rows.columns_called(SCORE_NAMES, (first, second))
    judging = [column for column in called if is_judged(rows, column)]
    if "is_paraphrase" in called:
        judging = [*(column for column in judging if column == "score"), "is_paraphrase"]
    judging = [settings.score] if settings.score else judging or called[:1] or ([near] if near else [])
    if first is None or second is None or not judging:
        listed = ", ".join(columns[:12])
        raise CorpusError("E-SET-COLUMNS", f"{name!r} has the columns {listed}. Expected: {'; or '.join(SHAPES)}.")
    count = len(rows.columns)
    one, other = rows.texts(first), rows.texts(second)
    cells: dict[str, list[Any]] = {"score": [None] * count, "same": [None] * count}
    cells |= {"sentence1": one, "sentence2": other}
    used = rows.kept_rows(range(count), lambda row: one[row] and other[row], "one of the two texts is empty")
    roles: dict[str, str | tuple[str, ...]] = {"texts": (first, second)}
    scale = None
    for column in judging:
        try:
            is_score = column.casefold() != "is_paraphrase" and (settings.score or column == judging[0])
            judged = judgement_in(rows, column, texts=(first, second), scale=settings.scale if is_score else None)
        except CorpusError as error:
            if settings.scale is not None or "is_paraphrase" not in judging or column == "is_paraphrase":
                raise
            rows.say("W-SCORE", f"The column {column} is not used. {error.message}")
            continue
        if judged.kind == "nli" or judged.kind in roles:
            rows.remark(f"not used: {column!r} (--score names another column)")
            continue
        roles[judged.kind], values = column, judged.values
        unjudged = (row for row in used if values[row] is None)
        if judged.kind == "score":
            cells["score"], scale = values, judged.scale
            rows.remark(judged.remark)
            rows.leave_out(unjudged, "no score")
        else:
            cells["same"] = [None if value is None else value == 1 for value in values]
            rows.leave_out(unjudged, "undecided, so left out of average precision")
    is_scored = sum(cells["score"][row] is not None for row in used) >= 3
    is_told = {True, False} <= {cells["same"][row] for row in used}
    if not is_scored and not is_told:
        nli = "" if set(roles) > {"texts"} else f" ({judging[0]!r} holds NLI labels, not scores)"
        raise CorpusError(
            "E-SET-EMPTY",
            f"{name!r} needs at least 3 scored pairs, or both paraphrases and other pairs, but its {len(used):,} "
            f"pairs are neither{nli}. Choose another file, split or column (--score).",
        )
    schema = {"sentence1": pa.large_string(), "sentence2": pa.large_string(), "score": pa.float64(), "same": pa.bool_()}
    made = pa.table({each: pa.array([cells[each][row] for row in used], kind) for each, kind in schema.items()})
    named = {{"same": "yes or no"}.get(role, role): column for role, column in roles.items()}
    rows.report = rows.report.having(columns=named, scale=scale)
    return ("sts",) * is_scored + ("paraphrase",) * is_told, {"pairs": made}


def _candidates(rows: Table) -> dict[str, pa.Table]:
    names = ["query", "positive", "negative"]
    texts = rows.texts("query")
    used = rows.kept_rows(range(len(texts)), texts.__getitem__, "no query")
    queries = [texts[row] for row in used]
    positive, negative = ([cells[row] for row in used] for cells in (rows.listed_texts(side) for side in names[1:]))
    whole = sum(bool(yes and no) for yes, no in zip(positive, negative, strict=True))
    if whole == 0:
        raise CorpusError(
            "E-NO-RELEVANT",
            f"Reranking needs queries with positive and negative texts, but none of the {len(queries):,} of "
            f"{rows.name!r} has both. Choose another file.",
        )
    if whole < len(queries):
        rows.say(
            "W-ONE-SIDED",
            f"{counted(len(queries) - whole, 'query lacks', 'queries lack')} positive or negative texts: skipped.",
        )
    rows.report = rows.report.having(columns={each: each for each in names})
    lists = [pa.array(each, pa.list_(pa.large_string())) for each in (positive, negative)]
    return {"candidates": pa.table([strings(queries), *lists], names=names)}
