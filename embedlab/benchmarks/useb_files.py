"""The files of USEB as its authors release them, and what is read from them."""

import json
from dataclasses import dataclass
from pathlib import Path

from embedlab.errors import CorpusError

FILES = {
    "AskUbuntu": ("askubuntu/text_tokenized.txt", "askubuntu/test.txt"),
    "CQADupStack": ("cqadupstack/corpus.json", "cqadupstack/retrieval_split.json"),
    "TwitterPara": ("twitterpara/Twitter_URL_Corpus_test.txt", "twitterpara/test.data"),
    "SciDocs": ("scidocs/data.json",),
}
WHERE = (
    "USEB is read from the folder data-eval that its authors' package writes (UKPLab/useb on GitHub: pip install useb, "
    "then python -m useb.downloading all). Give that folder with --folder; it contains askubuntu, cqadupstack, "
    "twitterpara and scidocs."
)


@dataclass(frozen=True)
class Reranked:
    """A query, its candidates in the order they were given, and which are relevant."""

    query: str
    candidates: list[str]  # ids
    relevant: set[str]


@dataclass(frozen=True)
class Pairs:
    """Pairs of sentences with a grade 0 to 5; 3 is debatable."""

    one: list[str]
    other: list[str]
    grades: list[int]


def missing_files(task: str, folder: str | Path | None) -> list[str]:
    """The files of a task that are not in the folder."""
    root = None if folder is None else Path(folder).expanduser()
    return [file for file in FILES[task] if root is None or not (root / file).is_file()]


def read_askubuntu(folder: Path) -> tuple[dict[str, str], list[Reranked]]:
    """Titles by id, and the test queries with their 20 candidates, best BM25 score first (equal ones as listed)."""
    titles = {}
    for fields in _lines(folder / FILES["AskUbuntu"][0], fields=3):
        titles[fields[0].strip()] = fields[1].strip()
    queries = []
    for query, relevant, candidates, scores in _lines(folder / FILES["AskUbuntu"][1], fields=4):
        ids, numbers = candidates.split(), [float(score) for score in scores.split()]
        ranked = sorted(zip(ids, numbers, strict=True), key=lambda pair: -pair[1])
        queries.append(Reranked(query.strip(), [doc for doc, _ in ranked], set(relevant.split())))
    return titles, queries


def read_cqadupstack(folder: Path) -> tuple[dict, dict]:
    """``{forum: {id: title}}``, and of the test part ``{forum: {query: [relevant ids]}}``."""
    corpus = _json(folder / FILES["CQADupStack"][0])
    return corpus, _json(folder / FILES["CQADupStack"][1])["test"]


def read_twitterpara(folder: Path) -> dict[str, Pairs]:
    """``TURL`` with grades such as ``(4, 6)``, four of six annotators, and ``PIT`` with a number."""
    url = [(f[0], f[1], int(f[2].strip("() ").split(",")[0])) for f in _lines(folder / FILES["TwitterPara"][0], 3)]
    pit = [(f[2], f[3], int(f[4])) for f in _lines(folder / FILES["TwitterPara"][1], 5)]
    return {
        name: Pairs([r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows])
        for name, rows in (("TURL", url), ("PIT", pit))
    }


def read_scidocs(folder: Path) -> tuple[dict[str, str], dict]:
    """Titles by id (empty where there is none), and ``{sub-task: {query: {candidate: 0 or 1}}}`` of the test part."""
    found = _json(folder / FILES["SciDocs"][0])
    return {key: entry["title"] or "" for key, entry in found["corpus"].items()}, found["test"]


def _lines(path: Path, fields: int) -> list[list[str]]:
    rows = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            row = line.rstrip("\n").split("\t")
            if len(row) < fields:
                raise CorpusError(
                    "E-USEB-FILE",
                    f"Line {number} of {path.name} needs {fields} tab-separated columns, but has {len(row)}. "
                    "Use the file as USEB's authors release it.",
                )
            rows.append(row)
    return rows


def _json(path: Path) -> dict:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CorpusError(
            "E-USEB-FILE", f"{path.name} is not the JSON that USEB's authors release ({error})."
        ) from None
