"""Every recipe in display order, and free combinations of an objective with an augmentation."""

from functools import cache

from embedlab.augmentations import AUGMENTATIONS
from embedlab.errors import UnfitError, UserError
from embedlab.objectives import OBJECTIVES
from embedlab.objectives.infonce import INFONCE
from embedlab.registry import Registry
from embedlab.training.contrast_recipes import CONTRAST, SUMMARIES
from embedlab.training.other_recipes import GIVEN_PAIRS, RECONSTRUCTION, WITHOUT_NEGATIVES
from embedlab.training.recipe import Recipe

_FAMILY = "References"

REFERENCES = [
    Recipe(
        key="supervised",
        title="Supervised reference",
        sentence="Two texts with the same label are pulled together: the upper bound, because it uses the labels.",
        paper="TSDAE, section 5.1 (in-domain supervised)",
        methods_phrase=f"labels, two texts of a class as a positive pair, with {INFONCE} (a supervised reference)",
        when="To see how much labels would give. It only uses those of the train split; the result is not "
        "unsupervised.",
        family=_FAMILY,
        augmentation="same-class",
        objective="infonce",
        schedule={"epochs": 10, "max_steps": 20_000, "early_stopping": 3},
        schedule_line="10 epochs of 64, at most 20,000 steps, ended when development accuracy stops rising",
    ),
    Recipe(
        key="untouched",
        title="Untouched",
        sentence="Nothing is trained: the encoder's embeddings are measured and drawn unchanged.",
        paper="crops paper, Table 1, columns 1–5",
        methods_phrase="no training",
        when="As a baseline, or to inspect a corpus.",
        family=_FAMILY,
        augmentation=None,
        objective=None,
    ),
]


RECIPES: Registry[Recipe] = Registry(
    "recipe", [*CONTRAST, *SUMMARIES, *RECONSTRUCTION, *WITHOUT_NEGATIVES, *GIVEN_PAIRS, *REFERENCES]
)

OWN_COMBINATION = "Own combination"


def recipe_of(reference: str) -> Recipe:
    """A recipe by its key, or ``OBJECTIVE+AUGMENTATION``: any objective with an augmentation whose views it takes."""
    objective, plus, augmentation = reference.partition("+")
    return own_combination(objective, augmentation) if plus else RECIPES[reference]


def recipe_title(reference: str) -> str:
    """The recipe's title; an unknown recipe's key."""
    try:
        return recipe_of(reference).title
    except UserError:
        return reference


def own_combination(objective: str, augmentation: str) -> Recipe:
    """A recipe without a paper's settings; raises an error if the objective takes another kind of views."""
    scored, made = OBJECTIVES[objective], AUGMENTATIONS[augmentation]
    if not made.makes(scored.takes):
        fitting = ", ".join(part.key for part in AUGMENTATIONS if part.makes(scored.takes))
        raise UnfitError(
            "E-UNFIT",
            f"{scored.title} takes {scored.takes}, but {made.title} makes {made.kind}. Choose from: {fitting}.",
        )
    when = "It starts from the defaults: no recipe here has these two parts."
    same = [each.title for each in RECIPES if (each.objective, each.augmentation) == (objective, augmentation)]
    if same:
        when = f"It starts from the defaults; with other settings this is the recipe {' and '.join(same)}."
    return Recipe(
        key=f"{objective}+{augmentation}",
        title=f"{scored.title} + {made.title}",
        sentence=f"{made.sentence} {scored.sentence}",
        paper=f"own combination of {scored.paper} and {made.paper}",
        when=when,
        methods_phrase=f"{scored.title} on views by {made.title}",
        family=OWN_COMBINATION,
        augmentation=augmentation,
        objective=objective,
    )


@cache
def own_combinations() -> tuple[Recipe, ...]:
    """All combinations that fit, objective by objective."""
    return tuple(
        own_combination(scored.key, made.key)
        for scored in OBJECTIVES
        for made in AUGMENTATIONS
        if made.makes(scored.takes)
    )
