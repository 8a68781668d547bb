"""On which texts the live curve of a run is measured, and its reference lines on the same texts: ``live.json``."""

from embedlab.counting import WORDS
from embedlab.distance import Distance
from embedlab.measurement import ResultPart, from_row
from embedlab.metrics.split import LiveTexts
from embedlab.runs.folder import RunFolder
from embedlab.runs.reference_lines import ReferenceLine
from embedlab.store_root import read_json, write_json

LIVE_DIAGNOSTICS = {  # measured at every live point of a few hundred texts, and drawn where a reader asks for one
    "effective_rank": "Effective rank",
    "uniformity": "Uniformity",
    "alignment": "Alignment",
    "mean_cosine": "Mean cosine",
    "hubness": "Hubness",
}


class LiveFacts(ResultPart):
    """How many texts there are, and what the reference lines get right of the same queries among the same neighbors."""

    is_whole: bool
    neighbors: int
    test_texts: int
    development_texts: int
    references: dict[str, ReferenceLine]

    @property
    def counted(self) -> str:
        """What TF-IDF and SVD count: words or characters."""
        return next((line.counted for line in self.references.values()), WORDS)

    @property
    def where(self) -> str:
        """For a caption: what is asked, and among what."""
        if self.is_whole:
            return f"all {self.test_texts:,} test texts among all {self.neighbors:,} labelled train texts"
        return f"a sample: {self.test_texts:,} test texts among {self.neighbors:,} labelled train texts"


def write_live(folder: RunFolder, texts: LiveTexts, references: dict[str, ReferenceLine]) -> None:
    """``references``: measured on these texts."""
    facts = LiveFacts(
        is_whole=texts.is_whole,
        neighbors=len(texts.neighbors),
        test_texts=len(texts.test),
        development_texts=len(texts.development),
        references=references,
    )
    write_json(folder.live, facts.model_dump(mode="json"))


def live_facts(folder: RunFolder) -> LiveFacts | None:
    """None of a run without a live curve of labelled texts."""
    try:
        return LiveFacts.model_validate(read_json(folder.live))
    except (FileNotFoundError, ValueError):
        return None


def curve_rows(rows: list[dict], distance: Distance) -> list[dict]:
    """Those rows of metrics.jsonl that have kNN accuracy, ``knn`` and ``standard_error`` being by this distance."""
    measured = [(row, from_row(row["knn"]).by(distance)) for row in rows if row.get("knn") is not None]
    return [{**row, "knn": found.value, "standard_error": found.error} for row, found in measured]
