"""What stands above and below a map: whose it is, how it was drawn, and of how many texts."""

from embedlab.corpora.base import Corpus
from embedlab.map_methods import map_title
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import own_files
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.result import read_result
from embedlab.ui.frame.distance import by_distance
from embedlab.ui.frame.text import count, percent

TITLES = {"before": "Before: untouched", "after": "After: fine-tuned"}
AS_IT_IS = "The encoder as it is"


def titles_of(run: RunFolder) -> tuple[str, str]:
    """What stands above the left and the right map; an imported run's files name them, a run without training has one
    encoder.
    """
    files = own_files(run)
    if not files:
        return (AS_IT_IS, AS_IT_IS) if is_untrained(run) else (f"Before: {word_of_before(run)}", TITLES["after"])
    first = files.get("before") or files["coordinates"]
    second = files.get("after") or files.get("coordinates_after")
    return (first, first) if second is None else (f"Before: {first}", f"After: {second}")


def is_untrained(run: RunFolder) -> bool:
    """Whether it measured an encoder without training it, so that its maps before and after are one."""
    result = read_result(run)
    return not own_files(run) and result is not None and not result.is_trained


def map_caption(drawn: DrawnMap, corpus: Corpus, method: str) -> str:
    """``t-SNE (Euclidean distance), seed 42, 11,024 of 11,024 texts``"""
    seed, by = drawn.facts.seed, f" {by_distance(drawn.facts.distance)}" if drawn.facts.distance else ""
    parts = [drawn.facts.file or map_title(method) + by, f"seed {seed}" if seed is not None else ""]
    shown = f"{count(len(drawn.rows))} of {count(corpus.info.texts)} texts"
    parts.append(f"preview of {shown}" if drawn.facts.preview else shown)
    if drawn.facts.approximate:
        recall, queries = percent(drawn.facts.recall_15), count(drawn.facts.queries)
        parts.append(f"neighbors approximate, recall@15 {recall} on {queries} texts")
    return ", ".join(part for part in parts if part)
