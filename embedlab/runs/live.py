"""On which texts the live curve of a run is measured, and its reference lines on the same texts: ``live.json``."""

from dataclasses import dataclass

from embedlab.counting import WORDS
from embedlab.distance import DISTANCES, Distance, at_distance
from embedlab.metrics.split import LiveTexts
from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json, write_json

LIVE_DIAGNOSTICS = {  # measured at every live point of a few hundred texts, and drawn where a reader asks for one
    "effective_rank": "Effective rank",
    "uniformity": "Uniformity",
    "alignment": "Alignment",
    "mean_cosine": "Mean cosine",
    "hubness": "Hubness",
}


@dataclass(frozen=True)
class LiveFacts:
    """``references``: ``{tfidf: {distance: (value, standard error)}, svd: …}``, on the same queries and neighbors."""

    is_whole: bool
    neighbors: int
    test_texts: int
    development_texts: int
    references: dict[str, dict[Distance, tuple[float, float]]]
    counted: str = WORDS  # by TF-IDF and SVD

    @property
    def where(self) -> str:
        """For a caption: what is asked, and among what."""
        if self.is_whole:
            return f"all {self.test_texts:,} test texts among all {self.neighbors:,} labelled train texts"
        return f"a sample: {self.test_texts:,} test texts among {self.neighbors:,} labelled train texts"


def write_live(folder: RunFolder, texts: LiveTexts, references: dict) -> None:
    """``references``: lines with ``value``, ``standard_error`` and ``cosine``, measured on these texts."""
    write_json(
        folder.live,
        {
            "is_whole": texts.is_whole,
            "neighbors": len(texts.neighbors),
            "test_texts": len(texts.test),
            "development_texts": len(texts.development),
            "references": {
                name: {key: line[key] for key in ("value", "standard_error", "cosine", "counted")}
                for name, line in references.items()
            },
        },
    )


def live_facts(folder: RunFolder) -> LiveFacts | None:
    """None of a run without a live curve of labelled texts, and of one from before this was kept."""
    try:
        kept = read_json(folder.live)
    except (FileNotFoundError, ValueError):
        return None
    references = {
        name: {
            distance: (line["value"] if distance == "euclidean" else line["cosine"], line["standard_error"])
            for distance in DISTANCES
        }
        for name, line in kept["references"].items()
    }
    counts = {name: kept[name] for name in ("is_whole", "neighbors", "test_texts", "development_texts")}
    counted = next((line.get("counted") for line in kept["references"].values()), None)
    return LiveFacts(**counts, references=references, counted=counted or WORDS)


def curve_rows(rows: list[dict], distance: Distance) -> list[dict]:
    """Rows of metrics.jsonl with ``knn`` and ``standard_error`` by this distance; a row without it has None there.

    Runs from before both distances were measured live have Euclidean only.
    """
    names = ("knn", "standard_error")
    return [{**row, **{name: row.get(at_distance(name, distance)) for name in names}} for row in rows]
