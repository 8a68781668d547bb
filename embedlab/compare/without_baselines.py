"""Why no baseline stands beside the runs of a comparison, where none does."""

from embedlab.compare.rows import BASELINE, RUN, UNTOUCHED, ComparedRow
from embedlab.corpora.base import list_corpora
from embedlab.runs.evaluations import CORPUS
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import RunResult, read_result


def why_no_baselines(rows: list[ComparedRow], source: str = CORPUS) -> list[str]:
    """A sentence for each corpus (or the set ``source``) of these rows that TF-IDF is missing on, else none."""
    if source != CORPUS:
        is_there = any(row.kind == BASELINE for row in rows)
        return [] if is_there else ["TF-IDF is missing: it was not measured on this set. Evaluate measures baselines."]
    stored, sentences = {info.fingerprint for info in list_corpora()}, []
    for corpus in dict.fromkeys(row.corpus for row in rows):
        members = [row for row in rows if row.corpus == corpus]
        if not any(row.kind == BASELINE for row in members):
            sentences.append(f"TF-IDF is missing on {members[0].corpus_name}: {_why(members, corpus in stored)}")
    return sentences


def _why(members: list[ComparedRow], is_stored: bool) -> str:
    if not is_stored:
        return "the corpus is no longer in the store, so its reference lines are gone. Add it again."
    runs = [RunFolder(row.path) for row in members if row.kind in (RUN, UNTOUCHED)]
    results = [read_result(run) or RunResult() for run in runs]
    not_measured = "it was not measured yet. Evaluate measures baselines."
    return next((result.why_no_knn for result in results if result.why_no_knn), not_measured)
