"""How many texts it takes: corpus size (TSDAE, Figures 3 and 6), and labels needed to match (Table 10)."""

from embedlab.studies.base import StudyKind

MATCH_MARGIN = 0.02  # of kNN accuracy: so much may be lost and it is still a match
MATCH_MEANS = f"not more than {100 * MATCH_MARGIN:g} points below, at 95 %"
SIZES = [
    StudyKind(
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
