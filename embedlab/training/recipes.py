"""Every recipe, in display order."""

from embedlab.registry import Registry
from embedlab.training.families.contrast import CONTRAST
from embedlab.training.families.reconstruction import RECONSTRUCTION
from embedlab.training.families.references import REFERENCES
from embedlab.training.families.summaries import SUMMARIES
from embedlab.training.families.without_negatives import WITHOUT_NEGATIVES
from embedlab.training.recipe import Recipe

RECIPES: Registry[Recipe] = Registry(
    "recipe", [*CONTRAST, *SUMMARIES, *RECONSTRUCTION, *WITHOUT_NEGATIVES, *REFERENCES]
)
