"""The methods paragraph of a run: corpus, protocol, seeds, versions, hashes and citations, ready to paste."""

from dataclasses import dataclass

from embedlab.corpora.base import CorpusInfo, open_corpus
from embedlab.errors import EmbedlabError, RunError
from embedlab.metrics.split import DEVELOPMENT_SEED, TEST_SEED, TEST_SHARE
from embedlab.runs.citations import CITATIONS
from embedlab.runs.cited import CORPORA, OPTIMISERS, RECIPES, encoder_keys
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import SUPERVISED, is_supervised, saw_labels
from embedlab.runs.state import read_state
from embedlab.runs.store import read_result
from embedlab.store_root import read_json


@dataclass(frozen=True)
class Methods:
    """The paragraph, what it cites, and the entries of that."""

    text: str
    keys: tuple[str, ...]

    @property
    def bibtex(self) -> str:
        """One entry each, in the order of their first mention."""
        return "\n\n".join(CITATIONS[key].bibtex() for key in self.keys)


class _Cited:
    """Works in the order in which they are named."""

    def __init__(self):
        self.keys: list[str] = []

    def __call__(self, *keys: str) -> str:
        """`` (Gao et al., 2021; van den Oord et al., 2018)``, or nothing."""
        self.keys += [key for key in keys if key not in self.keys]
        return f" ({'; '.join(CITATIONS[key].short for key in keys)})" if keys else ""


def methods_of(run: RunFolder) -> Methods:
    """From what lies in the run's folder; refused while the run has no result."""
    result, facts = read_result(run), read_state(run)
    if result is None:
        raise RunError(
            "E-NO-RESULT", f"Run {run.id} is {facts['state']} and has no result to describe. Wait for its end."
        )
    settings = facts.get("settings")
    if settings is None:
        raise RunError(
            "E-OLD-RUN",
            f"Run {run.id} was made before runs kept all their settings: its methods cannot be told. Train it again.",
        )
    cite = _Cited()
    sentences = [
        *_corpus(result, cite),
        *_training(run, result, settings, cite),
        *_protocol(result, cite),
        *_found(result, cite),
        *_maps(run, cite),
        *_circumstances(run, result, settings, facts),
    ]
    return Methods(" ".join(sentences), tuple(cite.keys))


def _corpus(result: dict, cite: _Cited) -> list[str]:
    corpus, info = result["corpus"], _info(result["corpus"]["fingerprint"])
    works = cite(*CORPORA.get(corpus["name"], ()))
    said = f"We used the corpus {corpus['name']}{works} with {corpus['texts']:,} texts"
    if info is not None and info.labelled:
        said += f", {info.labelled:,} of them labelled with {corpus['classes']:,} classes"
    source = f", read from {info.source}" if info is not None and info.source != corpus["name"] else ""
    return [f"{said} (data fingerprint {corpus['fingerprint']}{source})."]


def _training(run: RunFolder, result: dict, settings: dict, cite: _Cited) -> list[str]:
    words, keys = RECIPES.get(result["recipe"], (f"the recipe {result['recipe']}", ()))
    encoder = _encoder(result, cite, saw_labels=saw_labels(run, "before"))
    if result.get("files"):
        return [f"The embeddings were made elsewhere and read from {' and '.join(result['files'].values())}."]
    if not result["steps"]:
        return [f"{encoder} was used as it is, with {result['pooling']} pooling."]
    optimiser, works = OPTIMISERS.get(settings.get("optimiser", "adam"), (settings.get("optimiser"), ()))
    rate = result["learning_rate"]
    said = [
        f"{encoder} was fine-tuned by {words}{cite(*keys)}, for {result['steps']:,} steps of "
        f"{settings['batch_size']:,} texts on {result['usable_texts']:,} usable texts, with {optimiser}{cite(*works)}, "
        f"a peak learning rate of {rate:g}{_schedule(settings)}, {result['pooling']} pooling of at most "
        f"{result['max_length']:,} tokens and seed {settings['seed']}.",
        _trained_on(run, settings),
    ]
    parts = [f"{part} {_told(settings[part])}" for part in ("objective", "augmentation") if settings.get(part)]
    if parts:
        said.append(f"Settings of the recipe: {'; '.join(parts)}.")
    if result.get("stopped"):
        said.append(result["kept"]["reason"])
    return said


def _encoder(result: dict, cite: _Cited, *, saw_labels: bool) -> str:
    """``saw_labels``: an earlier phase was trained by labels, also where nothing else is known of it any more."""
    lineage = result.get("lineage") or []
    if not lineage:
        named = f"The encoder {result['encoder']}{cite(*encoder_keys(result['encoder']))}"
        return f"{named}, first trained by labels{cite(*RECIPES[SUPERVISED][1])}," if saw_labels else named
    first = lineage[-1]["encoder"] or result["encoder"]
    phases = [
        f"{RECIPES[each['recipe']][0]}{cite(*RECIPES[each['recipe']][1])}" if each.get("recipe") in RECIPES else "a run"
        for each in reversed(lineage)
    ]
    if saw_labels and not any(each.get("recipe") == SUPERVISED for each in lineage):
        phases[0] += f" that was trained by labels{cite(*RECIPES[SUPERVISED][1])}"
    return f"The encoder {first}{cite(*encoder_keys(first))}, first trained by {', then by '.join(phases)},"


def _schedule(settings: dict) -> str:
    """`` (warmup over 10 % of an epoch, linear decay)``"""
    if "warmup" not in settings or "decay" not in settings:
        return ""
    return f" (warmup over {100 * settings['warmup']:g} % of an epoch, {settings['decay']} decay)"


def _trained_on(run: RunFolder, settings: dict) -> str:
    if is_supervised(run):
        return "The labels of the train split were used for training, those of test and development texts were not."
    drawn = "a sample drawn by the seed" if settings.get("train_texts") else "all texts"
    left_out = settings.get("train_on") == "train_split"
    if saw_labels(run):
        texts = "neither test texts nor their copies" if left_out else f"{drawn}, the test texts among them"
        return (
            f"This phase was trained on {texts}, and read no label; an earlier one was trained by labels, and no text "
            "whose label it read is tested."
        )
    if left_out:
        return "Training used no labels, and neither test texts nor their copies."
    return f"Training used no labels and {drawn}, the test texts among them."


def _protocol(result: dict, cite: _Cited) -> list[str]:
    knn = result["knn"]
    if knn is None:
        return ["No kNN accuracy was measured, because the corpus has no two labelled classes."]
    test, train = f"{100 * TEST_SHARE:g} %", f"{100 * (1 - TEST_SHARE):g} %"
    return [
        f"Quality is the kNN accuracy of the labels (k = {knn['k']}, uniform weights, Euclidean distance) on a random "
        f"{train} to {test} split of the labelled texts with split seed {TEST_SEED}"
        f"{cite('crops', 'pedregosa2011sklearn')}; test texts with a copy among the train texts were moved there, and "
        f"classes with one text are not tested, which leaves n = {knn['test_texts']:,} test texts "
        f"(protocol {knn['protocol']}).",
        f"Whatever labels choose was chosen on development texts of the train part (split seed {DEVELOPMENT_SEED}), "
        "never on test texts.",
    ]


def _found(result: dict, cite: _Cited) -> list[str]:
    knn = result["knn"]
    if knn is None:
        return []
    error = f"± {100 * knn['standard_error']:.1f} (binomial standard error)"
    if not result["steps"]:
        return [f"kNN accuracy is {_share(knn['after'])} {error}."]
    after = knn["best"] if result.get("stopped") else knn["after"]
    said = f"kNN accuracy is {_share(knn['before'])} before and {_share(after)} {error} after fine-tuning"
    if result.get("difference") is not None:
        points = [f"{100 * result[name]:+.1f}".replace("-", "−") for name in ("difference", "low", "high")]
        said += (
            f", a difference of {points[0]} points with a 95 % interval from {points[1]} to {points[2]} for the same "
        )
        said += f"test texts{cite('bonett2012paired')}"
    names = {"tfidf": "TF-IDF", "svd": "TF-IDF reduced to 100 dimensions by SVD"}
    lines = [f"{names[key]} {_share(line['value'])}" for key, line in result["references"].items() if key in names]
    beside = f" On the same split: {' and '.join(lines)}{cite('jones1972idf')}." if lines else ""
    return [f"{said}.{beside}"]


def _maps(run: RunFolder, cite: _Cited) -> list[str]:
    works = {"tsne": ("t-SNE", ("vandermaaten2008tsne", "policar2024opentsne")), "umap": ("UMAP", ("mcinnes2018umap",))}
    said = []
    for method, (name, keys) in works.items():
        facts = _facts(run.map_facts("after", method))
        if facts is not None:
            seed = f" with seed {facts['seed']}" if facts.get("seed") is not None else ""
            said.append(f"Maps were drawn by {name}{cite(*keys)}{seed}, the map after starting from the one before.")
    return said


def _circumstances(run: RunFolder, result: dict, settings: dict, facts: dict) -> list[str]:
    versions = facts.get("versions") or {}
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    device = f" on {facts.get('device_line') or facts['device']}" if facts.get("device") else ""
    said = f"Computed with embedlab{f' ({told})' if told else ''}{device}"
    details = [f"training in {facts['precision']}"] if facts.get("precision") and result["steps"] else []
    details += [f"embeddings in {result['embedding_precision']}"] if result.get("embedding_precision") else []
    details += (
        [f"{facts['threads']} threads" if facts["threads"] != 1 else "one thread"] if facts.get("threads") else []
    )
    weights = f", weights SHA-256 {result['weights_hash']}" if result.get("weights_hash") else ""
    return [f"{', '.join([said, *details])} (run {run.id}{weights})."]


def _info(fingerprint: str) -> CorpusInfo | None:
    try:
        return open_corpus(fingerprint).info
    except (EmbedlabError, FileNotFoundError):
        return None


def _facts(path) -> dict | None:
    try:
        return read_json(path)
    except (FileNotFoundError, ValueError):
        return None


def _told(settings: dict) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items() if value is not None)


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"
