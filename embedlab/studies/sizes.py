"""How many texts it takes: corpus size (TSDAE, Figures 3 and 6), labels after pre-training, labels to match."""

from dataclasses import replace

from embedlab.studies.base import StudyKind
from embedlab.studies.transfer import DIRECTLY

MATCH_MARGIN = 0.02  # of kNN accuracy: so much may be lost and it is still a match
MATCH_MEANS = f"not more than {100 * MATCH_MARGIN:g} points below, at 95 %"
_CORPUS_SIZE = StudyKind(
    key="corpus-size",
    title="Corpus size",
    sentence="Training sees so many texts, drawn by the seed; measuring stays on all. A vocabulary made here is of "
    "all texts. The paper, with ten epochs: little is gained beyond 10,000.",
    paper="TSDAE, section 7.1, Figures 3 and 6",
    setting="train_texts",
    values=tuple(2**power for power in range(7, 17)),
    axis="texts trained on",
    word="texts",
    scale="log",
    limit="texts",
    names_best=False,
)
SIZES = [
    _CORPUS_SIZE,
    replace(
        _CORPUS_SIZE,
        key="methods-by-size",
        title="Corpus size, methods overlaid",
        sentence="The same for several recipes, a line each: how few texts are enough for which method. The paper: "
        "TSDAE is ahead often with as little as 1,000 texts.",
        series="recipe",
        series_values=("crops", "sentences"),
    ),
    StudyKind(
        key="labels-after",
        title="Labels after pre-training",
        sentence="Each recipe first trains on all texts without labels; then the supervised reference goes on, ten "
        "epochs from so many labelled texts; none is the encoder as it is. The paper: TSDAE and MLM help most.",
        paper="TSDAE, section 7 and Figures 2 and 5",
        setting="train_texts",
        values=tuple(2**power for power in range(5, 14)),
        axis="labelled texts trained on after pre-training",
        word="labels",
        scale="log",
        settings={"epochs": 10, "max_steps": 20_000},
        limit="labelled",
        first_phase="series",
        second_recipe="supervised",
        series="recipe",
        series_values=(DIRECTLY, "crops"),
        names_best=False,
        untouched_is_one=False,
    ),
    StudyKind(
        key="labels-needed",
        title="Labels needed to match",
        sentence="The supervised reference learns ten epochs from so many labelled texts; the recipe without labels is "
        f"the horizontal line. The answer is the smallest number that matches it: {MATCH_MEANS}.",
        paper="TSDAE, appendix D and Table 10",
        setting="train_texts",
        values=tuple(2**power for power in range(5, 14)),
        axis="labelled texts trained on",
        word="labels",
        scale="log",
        settings={"epochs": 10, "max_steps": 20_000},
        limit="labelled",
        swept_recipe="supervised",
        names_best=False,
    ),
]
