"""Every kind of part, in the order of the command ``parts``; reading them loads no torch."""

from embedlab.augmentations import AUGMENTATIONS
from embedlab.baselines import BASELINES
from embedlab.benchmarks import BENCHMARKS
from embedlab.diagnostics import DIAGNOSTICS
from embedlab.encoders.catalog import ENCODERS
from embedlab.maps import MAPS
from embedlab.metrics import METRICS
from embedlab.objectives import OBJECTIVES
from embedlab.postprocessing import POSTPROCESSING
from embedlab.studies import STUDIES
from embedlab.summaries import SUMMARISERS
from embedlab.training.recipes import RECIPES

REGISTRIES = (
    RECIPES,
    AUGMENTATIONS,
    OBJECTIVES,
    ENCODERS,
    METRICS,
    BASELINES,
    MAPS,
    DIAGNOSTICS,
    POSTPROCESSING,
    SUMMARISERS,
    STUDIES,
    BENCHMARKS,
)
