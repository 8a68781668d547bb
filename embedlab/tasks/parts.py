"""What there is, for a process without torch: every part's card and settings schema, and the device, as JSON."""

import re
from dataclasses import asdict

from embedlab.augmentations import AUGMENTATIONS
from embedlab.baselines import BASELINES
from embedlab.benchmarks import BENCHMARKS
from embedlab.diagnostics import DIAGNOSTICS, number_of
from embedlab.diagnostics.base import GEOMETRY, texts_needed
from embedlab.encoder_names import is_made_here, is_token_layer
from embedlab.encoders.catalog import ENCODERS
from embedlab.encoders.decoder import DECODER_TYPES
from embedlab.encoders.device import choose_device
from embedlab.errors import SettingsError
from embedlab.jobs.parts_file import parts_file
from embedlab.maps import MAPS
from embedlab.metrics import METRICS
from embedlab.objectives import OBJECTIVES
from embedlab.postprocessing import POSTPROCESSING
from embedlab.runs.folder import RunFolder
from embedlab.store_root import store_root, write_json
from embedlab.studies import STUDIES
from embedlab.summaries import SUMMARISERS
from embedlab.training.demo import DEMO
from embedlab.training.optimiser import OPTIMISERS
from embedlab.training.recipes import RECIPES, own_combinations
from embedlab.training.settings import TOKEN_LEARNING_RATE, TRANSFORMER_LEARNING_RATE, RunSettings

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


def run(folder: RunFolder, asked: dict, progress) -> None:
    """Write the parts into the store, under the name that the asking process looks for."""
    progress("Listing the parts")
    name = asked.get("file", parts_file().name)
    if not re.fullmatch(r"parts-[0-9a-f]{16}\.json", name):
        raise SettingsError("E-SETTING", f"The parts are kept as parts-<versions>.json, but {name!r} was asked for.")
    write_json(store_root() / name, parts())


def parts() -> dict:
    """Everything a form, a card or a table of the app needs to know about the parts."""
    device = choose_device("auto")
    return {
        "device": {"name": device.name, "line": device.line, "bf16": device.supports_bf16},
        "settings": RunSettings.model_json_schema(),
        "learning_rates": {"token": TOKEN_LEARNING_RATE, "transformer": TRANSFORMER_LEARNING_RATE},
        "demo": DEMO,
        "recipes": [_recipe(recipe) for recipe in RECIPES],
        "own_combinations": [_recipe(recipe) for recipe in own_combinations()],
        "optimisers": [asdict(each) for each in OPTIMISERS],
        "augmentations": [_part(part) for part in AUGMENTATIONS],
        "objectives": [_objective(part) for part in OBJECTIVES],
        "postprocessing": [_step(step) for step in POSTPROCESSING],
        "encoders": [_encoder(entry) for entry in ENCODERS],
        "summarisers": [_summariser(part) for part in SUMMARISERS],
        "benchmarks": [_benchmark(benchmark) for benchmark in BENCHMARKS],
        "baselines": [_baseline(part) for part in BASELINES],
        "metrics": [{"key": m.key, "title": m.title, "sentence": m.sentence, "paper": m.paper} for m in METRICS],
        "diagnostics": [_diagnostic(part) for part in DIAGNOSTICS],
        "maps": [
            {"key": m.key, "title": m.title, "paper": m.paper, "schema": m.config_class.model_json_schema()}
            for m in MAPS
        ],
    }


def _recipe(recipe) -> dict:
    names = ("key", "title", "sentence", "paper", "when", "family", "augmentation", "objective", "settings")
    names += ("learning_rate", "pooling", "schedule", "schedule_line", "told")
    known = {name: getattr(recipe, name) for name in names}
    return {**known, "needs": sorted(recipe.needs), "cites": list(recipe.works)}


def _part(part) -> dict:
    card = {name: getattr(part, name) for name in ("key", "title", "sentence", "paper")}
    return {**card, "needs": sorted(part.needs), "schema": part.config_class.model_json_schema()}


def _objective(part) -> dict:
    wirings = {each.key: asdict(each) for each in part.wirings}
    return {**_part(part), "formula": part.formula, "takes": part.takes, "wirings": wirings}


def _diagnostic(part) -> dict:
    card = {name: getattr(part, name) for name in ("key", "title", "group", "question", "sentence", "paper", "unit")}
    needs, number = sorted(getattr(part, "needs", ())), number_of(part)
    card |= {"printed": getattr(part, "printed", ""), "needs": needs, "number": number, "texts": texts_needed(part)}
    return card | {"begins": part.group == GEOMETRY, "schema": part.config_class.model_json_schema()}


def _step(step) -> dict:
    names = ("key", "title", "sentence", "formula", "paper")
    return {**{name: getattr(step, name) for name in names}, "schema": step.config_class.model_json_schema()}


def _baseline(part) -> dict:
    names = ("key", "title", "sentence", "needs_words", "gives_vectors", "is_sparse")
    return {name: getattr(part, name) for name in names}


def _summariser(part) -> dict:
    names = ("key", "title", "sentence", "paper", "prompts", "is_extractive")
    return {**{name: getattr(part, name) for name in names}, "schema": part.config_class.model_json_schema()}


def _benchmark(benchmark) -> dict:
    names = ("key", "title", "sentence", "paper", "averaging", "measures", "reader")
    tasks = [
        {"key": task.key, "type": task.type, "metric": task.metric, "texts": task.texts, "characters": task.characters}
        | {"datasets": [[part.dataset, part.revision, part.under] for part in task.datasets if part.dataset]}
        for task in benchmark.tasks
    ]
    return {**{name: getattr(benchmark, name) for name in names}, "tasks": tasks}


def _encoder(entry) -> dict:
    from importlib.util import find_spec

    from_scratch = is_made_here(entry.key)
    here = from_scratch or (entry.package is not None and find_spec(entry.package) is not None)
    provides = [] if is_token_layer(entry.key) else ["context", "dropout", "mlm_head"]
    provides += ["decoder"] if provides and entry.kind in DECODER_TYPES else []
    return {**entry.model_dump(mode="json"), "provides": provides, "from_scratch": from_scratch, "is_here": here}
