"""The methods paragraph of a run: corpus, protocol, seeds, versions, hashes and citations, ready to paste."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from embedlab.baseline_methods import REFERENCE_LINES
from embedlab.corpora.base import info_if_stored
from embedlab.corpora.notes import ReadingReport
from embedlab.distance import DISTANCES, Distance
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.errors import RunError
from embedlab.map_methods import MAP_METHODS
from embedlab.metrics import METRICS
from embedlab.metrics.split import FOLD_SEED, TEST_SEED, TEST_SHARE
from embedlab.numbers import counted, in_points, margin, percent, with_interval
from embedlab.report.citations import citations, describe_recipe, works_of_corpus, works_of_encoder
from embedlab.report.result_lines import accuracies_of, adapter_sentence, training_length
from embedlab.report.verdict_words import split_sentence, verdict_of
from embedlab.runs.drawn_map import read_map_facts
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import lacking
from embedlab.runs.label_lineage import SUPERVISED, is_supervised, saw_labels
from embedlab.runs.result import RunResult, read_result, references_of
from embedlab.runs.state import RunState, read_state
from embedlab.training.optimiser import OPTIMISERS

_SAME_CLASS = {
    "masked": "The other texts of the anchor's class were not used as negatives",
    "positives": "Every text of the anchor's class in the batch was a positive (supervised contrastive loss, L_out)",
}


@dataclass(frozen=True)
class Methods:
    """The paragraph, its citations, and their entries."""

    text: str
    keys: tuple[str, ...]

    @property
    def bibtex(self) -> str:
        """One entry per work, in order of first mention."""
        return "\n\n".join(citations()[key].bibtex for key in self.keys)


class Cited:
    """Works in the order in which they are mentioned."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def __call__(self, *keys: str) -> str:
        """`` (Gao et al., 2021; van den Oord et al., 2018)``, or an empty string."""
        self.keys += [key for key in keys if key not in self.keys]
        return f" ({'; '.join(citations()[key].short for key in keys)})" if keys else ""


def methods_of(run: RunFolder) -> Methods:
    """The methods of a run, from its folder and its parts' descriptions; raises an error if it has no result."""
    result, facts = read_result(run), read_state(run)
    if result is None:
        raise lacking(run, "E-NO-RESULT", "A paragraph on methods needs a result", "no result to describe")
    settings = facts.settings
    if settings is None:
        raise RunError(
            "E-OLD-RUN",
            f"Run {run.id} was made before runs kept all their settings, so its methods cannot be described. Train "
            f"it again.",
        )
    cite = Cited()
    sentences = [
        *_corpus(result, cite),
        *_training(run, result, settings, cite),
        *result.not_followed,
        *_protocol(result, cite),
        *_results(result, cite),
        *_maps(run, cite),
        *_circumstances(run, result, settings, facts),
    ]
    return Methods(" ".join(sentences), tuple(cite.keys))


def _corpus(result: RunResult, cite: Cited) -> list[str]:
    corpus, info = result.corpus, info_if_stored(result.corpus.fingerprint)
    summary = f"We used the corpus {corpus.name}{cite(*works_of_corpus(corpus.name))} with {corpus.texts:,} texts"
    if info is not None and info.labelled:
        summary += f", {info.labelled:,} of them labeled with {counted(corpus.classes, 'class', 'classes')}"
    source = f", read from {info.source}" if info is not None and info.source != corpus.name else ""
    return [f"{summary} (data fingerprint {corpus.fingerprint}{source}).{_read_as('The file', corpus.reading)}"]


def _training(run: RunFolder, result: RunResult, settings: dict[str, Any], cite: Cited) -> list[str]:
    encoder = _encoder(result, cite, saw_labels=saw_labels(run, "before"))
    if result.files:
        joined = [each.sentence for each in result.joined.values()]
        files = " and ".join(result.files.values())
        return [f"The embeddings were computed elsewhere and read from {files}.", *dict.fromkeys(joined)]
    cut = f"the first {settings['dimensions']:,} dimensions of each vector" if settings.get("dimensions") else ""
    if not result.steps:
        return [f"{encoder} was used unchanged, with {result.pooling} pooling{cut and f' and {cut}'}."]
    words, keys = describe_recipe(result.recipe)
    optimiser, rate = OPTIMISERS[settings.get("optimiser", "adam")], result.learning_rate
    sentences = [
        f"{encoder} was fine-tuned with {words}{cite(*keys)}, for {training_length(result)}, "
        f"{settings['batch_size']:,} texts per step, with {optimiser.title}{cite(*optimiser.cites)}, a peak learning "
        f"rate of {rate:g}{_schedule(settings)}, {result.pooling} pooling of at most {result.max_length:,} "
        f"tokens{cut and f', {cut}'} and seed {settings['seed']}."
    ]
    if (adapter := adapter_sentence(settings, result)) is not None:
        sentences.append(adapter.replace("LoRA adapter", f"LoRA adapter{cite('hu2022lora')}", 1))
    sentences.append(_trained_on(run, result, settings))
    objective = settings.get("objective") or {}
    same_class = objective.get("same_class") if result.supervised else None
    if same_class is not None:
        sentences.append(
            _SAME_CLASS[same_class] + cite(*(["khosla2020supcon"] if same_class == "positives" else [])) + "."
        )
    parts = [
        f"{part} {_settings_in_words(settings[part])}" for part in ("objective", "augmentation") if settings.get(part)
    ]
    if parts:
        sentences.append(f"Settings of the recipe: {'; '.join(parts)}.")
    if (guide := objective.get("guide")) is not None:  # the encoder that chose which negatives are left out
        named = f"{encoder_title(guide)}{cite(*works_of_encoder(guide))}"
        work = cite("solatorio2024gistembed")
        sentences.append(f"Negatives that {named} found closer to the anchor than its positive were left out{work}.")
    return [*sentences, *_reported_step(result)]


def _reported_step(result: RunResult) -> list[str]:
    """Which step's encoder the numbers belong to, and what chose it."""
    if not result.stopped:
        return ["Nothing was selected using labels: the encoder after the last step is reported."]
    kept_step = result.kept
    ended = f"Training ended at step {result.steps:,}, before its planned end"
    if kept_step is None or kept_step.judged is None:
        return [f"{ended}. Nothing was selected using labels: the encoder after that step is reported."]
    judged = kept_step.judged
    chosen = f"{ended}; the encoder after step {kept_step.step:,} is reported"
    if judged.by == "ranks":
        return [f"{chosen}. The step was selected by the ranks of held-out summaries."]
    if judged.by == "loss":
        return [f"{chosen}. The step was selected by the loss on held-out texts, without labels."]
    if judged.by == "set":
        judge = "the evaluation set" if result.judge is None else f"{result.judge.title} on {result.judge.set}"
        return [f"{chosen}. The step was selected by {judge}."]
    assert judged.distance is not None, "kNN accuracy is by a distance"
    return [
        f"{chosen}. The step was selected by kNN accuracy ({DISTANCES[judged.distance]}) of "
        f"{judged.development_texts:,} development texts of the train part (split seed {judged.seed}), with "
        f"neighbors among {judged.neighbors:,} labeled train texts."
    ]


def _encoder(result: RunResult, cite: Cited, *, saw_labels: bool) -> str:
    """``saw_labels``: an earlier phase was trained with labels, even if nothing else is known about it any more."""
    lineage, labels = result.lineage, describe_recipe(SUPERVISED)[1]
    if not lineage:
        named = f"The encoder {encoder_title(result.encoder)}{cite(*works_of_encoder(result.encoder))}"
        return f"{named}, first trained with labels{cite(*labels)}," if saw_labels else named
    first = lineage[-1].encoder or result.encoder
    recipes = [describe_recipe(each.recipe) if each.recipe else ("a run", ()) for each in reversed(lineage)]
    phases = [f"{words}{cite(*works)}" for words, works in recipes]
    if saw_labels and not any(each.recipe == SUPERVISED for each in lineage):
        phases[0] += f" that was trained with labels{cite(*labels)}"
    named = f"The encoder {encoder_title(first)}{cite(*works_of_encoder(first))}"
    return f"{named}, first trained with {', then with '.join(phases)},"


def _schedule(settings: dict[str, Any]) -> str:
    """`` (warmup over 10 % of an epoch, linear decay)``"""
    if "warmup" not in settings or "decay" not in settings:
        return ""
    fitted = "planned by the number of texts, " if settings.get("schedule") == "fitted" else ""
    return f" ({fitted}warmup over {100 * settings['warmup']:g} % of an epoch, {settings['decay']} decay)"


def _trained_on(run: RunFolder, result: RunResult, settings: dict[str, Any]) -> str:
    if is_supervised(run):
        return "The labels of the train split were used for training, those of test and development texts were not."
    if (pairs := result.pairs) is not None:
        return (
            f"Training used {pairs.used:,} of {pairs.rows:,} given pairs of {pairs.name} (data fingerprint "
            f"{pairs.fingerprint}), none of which contains a test text of the corpus, and none of its labels."
            + _read_as("The file of pairs", pairs.reading)
        )
    drawn = "a sample drawn by the seed" if settings.get("train_texts") else "all texts"
    left_out = settings.get("train_on") == "train_split"
    if saw_labels(run):
        texts = "neither test texts nor their copies" if left_out else f"{drawn}, including the test texts"
        return (
            f"This phase was trained on {texts} without labels; an earlier one was trained with labels, and no text "
            f"whose label it used is tested."
        )
    if left_out:
        return "Training used no labels, and neither test texts nor their copies."
    return f"Training used no labels and {drawn}, including the test texts."


def _protocol(result: RunResult, cite: Cited) -> list[str]:
    knn = result.knn
    if knn is None:
        why = result.reason_without_knn.replace("kNN accuracy", "it", 1) or "the corpus has no two labeled classes"
        return [f"No kNN accuracy was measured: {why}."]
    test, train = f"{100 * TEST_SHARE:g} %", f"{100 * (1 - TEST_SHARE):g} %"
    distances = " and ".join(f"with {DISTANCES[each]}" for each in accuracies_of(result))
    measured = f"Quality is the kNN accuracy of the labels (k = {knn.k}, uniform weights{cite(*METRICS['knn'].cites)})"
    split = (
        f"on a random {train} to {test} split of the labeled texts with split seed {TEST_SEED}, with n = "
        f"{knn.test_texts:,} test texts"
    )
    if (folds := result.folds) is None:
        return [f"{measured}, {distances}, {split}.", *result.warned("W-COPIES", "W-SINGLETON"), *result.vector_faults]
    n, untested = folds.after.either.n, folds.untested
    never = "" if not untested else f", and {untested:,} further ones, development texts and their copies, as neighbors"
    return [
        f"{measured}, {distances}, over ten stratified folds of the labeled texts (shuffled, seed {FOLD_SEED}) with n "
        f"= {n:,} tested texts{never}.",
        f"The published protocol tests once, {split}.",
        *result.warned("W-COPIES", "W-SINGLETON"),  # how the split was changed
        *result.vector_faults,
    ]


def _results(result: RunResult, cite: Cited) -> list[str]:
    accuracies, judged = accuracies_of(result), _judged_by_set(result)
    if not accuracies:
        return judged
    sentences: list[str] = []
    for distance, each in accuracies.items():
        value = f"{percent(each.after)} {margin(each.standard_error)}"
        if result.steps:
            value = f"{percent(each.before)} before and {value} after fine-tuning"
            if (change := each.change) is not None:
                value += f", a difference of {in_points(change.difference, change.low, change.high)}"
        sentences.append(f"with {DISTANCES[distance]} {'it is' if sentences else 'is'} {value}")
    notes = "± is the binomial standard error"
    if result.steps and any(each.change is not None for each in accuracies.values()):
        work = "bonett2012paired" if result.folds is None else "nadeau2003inference"
        notes += f", differences are paired over the same texts{cite(work)}"
    verdict = [outcome.sentence] if (outcome := verdict_of(result)) is not None else []
    return [
        f"kNN accuracy {'; '.join(sentences)}. Here {notes}.",
        *_references(result, accuracies, cite),
        *verdict,
        *filter(None, [split_sentence(result)]),
        *judged,
    ]


def _judged_by_set(result: RunResult) -> list[str]:
    judge = result.judge
    if judge is None:
        return []
    how = _read_as(f"The file of {judge.set}", judge.reading)
    if judge.difference is None or judge.low is None or judge.high is None:
        return [f"{judge.title} on {judge.set} is {judge.after:.3f}.{how}"]
    return [
        f"{judge.title} on {judge.set} is {judge.before:.3f} before and {judge.after:.3f} after fine-tuning, a "
        f"difference of {with_interval(judge.difference, judge.low, judge.high)} with n = {judge.n:,}.{how}"
    ]


def _read_as(what: str, report: ReadingReport | None) -> str:
    return "" if report is None else f" {what} was r{report.prose[1:]}"


def _references(result: RunResult, distances: Iterable[Distance], cite: Cited) -> list[str]:
    """TF-IDF and SVD on the same texts, by these distances."""
    sentences, by = [], {each: references_of(result, each) for each in distances}
    for key, line in result.references.items():
        if (named := REFERENCE_LINES.get(key)) is not None:
            values = [f"{percent(lines[key].value)} ({DISTANCES[each]})" for each, lines in by.items() if key in lines]
            sentences.append(f"{named.prose_title} of {line.counted}{cite(*named.cites)} has {' and '.join(values)}")
    return [f"On the same texts {'; '.join(sentences)}."] if sentences else []


def _maps(run: RunFolder, cite: Cited) -> list[str]:
    sentences = []
    for method in MAP_METHODS:
        facts = read_map_facts(run.map_facts("after", method.key))
        if facts is not None:
            seed = f" with seed {facts.seed}" if facts.seed is not None else ""
            drawn = f"Maps were drawn by {method.title}{cite(*method.cites)}{seed}"
            sentences.append(f"{drawn}, the map after {method.aligned} the one before.")
    return sentences


def _circumstances(run: RunFolder, result: RunResult, settings: dict[str, Any], facts: RunState) -> list[str]:
    numbers = ", ".join(f"{name} {version}" for name, version in facts.versions.items())
    device = f" on {facts.device_line or facts.device}" if facts.device else ""
    software = f"Computed with embedlab{f' ({numbers})' if numbers else ''}{device}"
    details = [f"training in {facts.precision}"] if facts.precision and result.steps else []
    if result.embedding_precision:
        details.append(f"embeddings in {result.embedding_precision}")
        if (cosine := facts.embedding_cosine) is not None:
            details[-1] += f" (cosine to fp32 at least {math.floor(cosine * 1e5) / 1e5:.5f} for the texts tried)"
    details += [f"{facts.threads} threads" if facts.threads != 1 else "one thread"] if facts.threads else []
    weights = f", weights SHA-256 {result.weights_hash}" if result.weights_hash else ""
    return [f"{', '.join([software, *details])} (run {run.id}{weights})."]


def _settings_in_words(settings: dict[str, Any]) -> str:
    without = {"same_class"}  # described in a sentence where labels are trained on
    if settings.get("guide") is None:
        without |= {"guide_margin", "guide_margin_is"}
    return ", ".join(
        f"{name.replace('_', ' ')} {value}"
        for name, value in settings.items()
        if value is not None and name not in without
    )
