"""The model card of a run's encoder: what it is, its training data, how certain the gain is, how to load it."""

import json
import re
from dataclasses import dataclass
from typing import Any

from embedlab.baseline_methods import REFERENCE_LINES, baseline_title
from embedlab.corpora.base import info_if_stored
from embedlab.corpora.stored.shelf import CorpusInfo
from embedlab.distance import DISTANCES, SHOWN_FIRST
from embedlab.encoder_catalog.catalog import encoder_card, encoder_title
from embedlab.encoder_catalog.facts import read_saved_facts
from embedlab.encoder_catalog.names import is_made_here, kind_of, taught_by
from embedlab.errors import EmbedlabError
from embedlab.numbers import accuracy, in_points
from embedlab.report.citations import citations, describe_recipe
from embedlab.report.loading_code import fenced, how_to_load
from embedlab.report.methods import methods_of
from embedlab.report.result_lines import adapter_sentence, training_length
from embedlab.report.verdict_words import split_sentence, verdict_sentence
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import CARD_LINE, is_supervised, lineage, saw_labels, words_without_knn
from embedlab.runs.result import W_EXPORT, RunResult, accuracy_of, counted_in, read_result, references_of
from embedlab.runs.state import read_state
from embedlab.runs.store import fingerprint_of, settings_of
from embedlab.store_root import atomic_write
from embedlab.training.recipes import recipe_title

CARD = "README.md"


@dataclass(frozen=True)
class Base:
    """The encoder before any run: its name, source and licence, as far as known."""

    name: str
    hub_id: str | None = None
    licence: str | None = None
    made_of: str | None = None  # where no weights were there before: what it began with


def write_model_card(run: RunFolder) -> None:
    """Write the card into the encoder's folder over the short one saved with it; nothing without an encoder."""
    if run.encoder.is_dir():
        with atomic_write(run.encoder / CARD) as temporary:
            temporary.write_text(model_card(run), encoding="utf-8")


def model_card(
    run: RunFolder,
    *,
    on_hub: str | None = None,
    remark: str | None = None,
    base: str | None = None,
    dimensions: int | None = None,
    backend: str = "torch",
) -> str:
    """Markdown below a YAML header.

    ``on_hub``: the repository that the code for loading names; ``remark``: a sentence about an export's format;
    ``base``: what an adapter exported without it is loaded on; ``dimensions``: the first so many that are kept;
    ``backend``: of sentence-transformers that reads it.
    """
    stored = read_result(run)
    result = stored or RunResult()
    settings = settings_of(run)
    first, corpus = _base(settings["encoder"], result), info_if_stored(fingerprint_of(run))
    return "\n".join(
        [
            *_head(first, settings, corpus),
            *_title(settings, stored, first, corpus),
            *_facts(run, settings, result, first, corpus, dimensions),
            *([remark, ""] if remark else []),
            *_verdict(run, stored),
            *("## Labels", "", _label_statement(run, result), CARD_LINE if saw_labels(run) else ""),
            *how_to_load(run, on_hub, base, backend, dimensions),
            *_methods(run, settings),
        ]
    )


def started_from(run: RunFolder) -> str:
    """The name of the first encoder of all phases, without a path of this computer."""
    return _base(settings_of(run)["encoder"], read_result(run) or RunResult()).name


def origins(run: RunFolder) -> dict[str, str]:
    """What the card tells about data, licences and labels, as plain text."""
    settings, result = settings_of(run), read_result(run) or RunResult()
    rows = _origin_rows(_base(settings["encoder"], result), info_if_stored(fingerprint_of(run)))
    plain = {}
    for name, text in (*rows, ("Labels", _label_statement(run, result))):
        words = re.sub(r"(?<!\\)\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("**", "")  # links as their words
        plain[name] = re.sub(r"\\([\\`*_\[\]<>|#])", r"\1", words)  # without the backslashes of ``_line``
    return plain


def _base(encoder: str, result: RunResult) -> Base:
    """The first encoder of all phases, also if an earlier run is deleted and only this one remembers it."""
    phases = result.lineage or lineage(encoder)
    reference = (phases[-1].encoder if phases else encoder) or encoder
    entry = encoder_card(reference)
    if reference.startswith("run:"):
        return Base("a run that was deleted")
    if is_made_here(reference):
        made_of = {"words": "its word statistics", "static": f"the vectors of {taught_by(reference)}, distilled"}
        return Base(encoder_title(reference), made_of=made_of.get(kind_of(reference), "weights drawn at random"))
    if reference.startswith("hf:"):
        return Base(reference.removeprefix("hf:"), hub_id=reference.removeprefix("hf:").partition("@")[0])
    if entry is not None:
        return Base(entry.title, entry.hub_id, entry.licence)
    return Base("a folder on its author's computer")


def _head(base: Base, settings: dict[str, Any], corpus: CorpusInfo | None) -> list[str]:
    """The YAML header; strings are JSON-quoted, which is valid YAML."""
    lines = ["---", "library_name: sentence-transformers", "pipeline_tag: sentence-similarity"]
    lines += [f"license: {json.dumps(base.licence)}"] if base.licence else []
    lines += [f"base_model: {json.dumps(base.hub_id)}", "base_model_relation: finetune"] if base.hub_id else []
    if corpus is not None and corpus.source.startswith("hf:"):
        lines += ["datasets:", f"- {json.dumps(corpus.source.removeprefix('hf:').partition('@')[0])}"]
    tags = ["sentence-transformers", "sentence-similarity", "feature-extraction", "embedlab", settings["recipe"]]
    return [*lines, "tags:", *(f"- {json.dumps(tag)}" for tag in tags), "---", ""]


def _title(settings: dict[str, Any], result: RunResult | None, base: Base, corpus: CorpusInfo | None) -> list[str]:
    name = _line(corpus.name) if corpus is not None else "a corpus that is no longer stored"
    begun = _line(base.name)
    if result is not None and not result.is_trained:
        return [f"# {begun}, not trained further", "", f"The encoder {begun} as it is, measured on {name}.", ""]
    words, _ = describe_recipe(settings["recipe"])
    return [f"# {begun}, fine-tuned on {name}", "", f"A sentence encoder, fine-tuned with {words}.", ""]


def _facts(
    run: RunFolder,
    settings: dict[str, Any],
    result: RunResult,
    base: Base,
    corpus: CorpusInfo | None,
    dimensions: int | None,
) -> list[str]:
    saved = read_saved_facts(run.encoder)
    cut = "" if dimensions is None else f"the first {dimensions:,} of "
    rows = [
        ("Vectors", f"{cut}{saved.dim:,} dimensions"),
        ("Texts", f"up to {saved.max_length:,} tokens are read"),
        ("Pooling", saved.exported_pooling),
        ("Layers", str(saved.layers)),
    ]
    rows += _origin_rows(base, corpus)
    if result.lineage:
        phases = ", ".join(recipe_title(each.recipe or "?") for each in reversed(result.lineage))
        rows.append(("Earlier phases", phases))
    if result.is_trained:
        rows.append(("Trained for", training_length(result)))
    if (adapter := adapter_sentence(settings, result)) is not None:
        rows.append(("What was trained", adapter))
    works = "; ".join(citations()[key].short for key in describe_recipe(settings["recipe"])[1])
    title = recipe_title(settings["recipe"])
    rows.append(("Recipe", f"{title} ({works})" if works else title))
    remark = next((each.message for each in result.warnings if each.code == W_EXPORT), saved.note)
    table = ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows), ""]
    return [*table, remark, ""] if remark else table


def _origin_rows(base: Base, corpus: CorpusInfo | None) -> list[tuple[str, str]]:
    page = f" ([{base.hub_id}](https://huggingface.co/{base.hub_id}))" if base.hub_id else ""
    begun = ", ".join(filter(None, (_line(base.name), base.made_of)))
    unstated = "none: nothing was trained before" if base.made_of else "not stated"
    rows = [("Started from", begun + page), ("License of what it started from", base.licence or unstated)]
    if corpus is not None:
        classes = f", {corpus.labelled:,} labeled with {len(corpus.classes):,} classes" if corpus.labelled else ""
        rows.append(("Corpus", f"{_line(corpus.name)}: {corpus.texts:,} texts{classes} ({corpus.fingerprint})"))
        rows.append(("License of the corpus", corpus.licence or "not stated"))
    return rows


def _verdict(run: RunFolder, result: RunResult | None) -> list[str]:
    """The sentence, both distances with intervals, and the paper's split."""
    lines = ["## Did it help", ""]
    knn = accuracy_of(result, SHOWN_FIRST)
    if result is None:
        return [*lines, f"Not measured: the run is {read_state(run).state} and has no result.", ""]
    if knn is None:
        why = _line(words_without_knn(run)) if result.is_trained else "Without labels there is no kNN accuracy."
        return [*lines, why, ""]
    verdict = verdict_sentence(result)
    lines += [verdict, ""] if verdict and result.is_trained else []
    counted = counted_in(result)
    lines += [
        f"kNN accuracy (k = {knn.k}) {knn.tested}; ± is one standard error.",
        "",
        f"| | before | after | change | {' | '.join(baseline_title(key, counted) for key in REFERENCE_LINES)} |",
        f"|---|---|---|---|{'---|' * len(REFERENCE_LINES)}",
    ]
    for distance in DISTANCES:
        each, references = accuracy_of(result, distance), references_of(result, distance)
        assert each is not None, "kNN accuracy is measured by both distances"
        change = in_points(each.change.difference, each.change.low, each.change.high) if each.change else "–"
        cells = [accuracy(each.before, each.standard_error_before), accuracy(each.after, each.standard_error), change]
        measured = [references.get(name) for name in REFERENCE_LINES]
        cells += ["–" if line is None else accuracy(line.value, line.error) for line in measured]
        lines.append(f"| {DISTANCES[distance]} | {' | '.join(cells)} |")
    split = split_sentence(result)
    return [*lines, "", *([split, ""] if split else [])]


def _label_statement(run: RunFolder, result: RunResult) -> str:
    if is_supervised(run):
        statement = (
            "**It saw labels.** It was trained with the labels of the train split; those of test texts were not used."
        )
    elif saw_labels(run):
        statement = "**It saw labels.** This phase used none, but an earlier one was trained with labels."
    elif result.pairs is not None:
        statement = f"**It was trained on {result.pairs.used:,} given pairs**, made by people, and without labels of "
        statement += "the corpus; none of the pairs contains a test text."
    elif result.is_trained:
        judged = None if result.kept is None else result.kept.judged
        chosen = result.stopped and judged is not None and judged.by == "knn"
        used = "measured it and, on development texts, selected which step is kept" if chosen else "only measured it"
        statement = f"**It was trained without labels.** They {used}."
        if result.trained_on == "all":
            statement += " The test texts, without their labels, were among the texts it was trained on."
    else:
        statement = "**Nothing was trained here**, so no label was seen."
    return statement


def _methods(run: RunFolder, settings: dict[str, Any]) -> list[str]:
    """The methods paragraph with its works."""
    try:
        methods = methods_of(run)
    except EmbedlabError:  # no result: the recipe is told, and what it rests on cannot be
        recipe = f"With the recipe {recipe_title(settings['recipe'])} of embedlab, run {run.id}."
        return ["## How it was made", "", recipe, ""]
    works = ["## Citations", "", *fenced("bibtex", methods.bibtex)] if methods.keys else []
    return ["## How it was made", "", methods.text, "", *works]


def _line(text: str) -> str:
    """A name on one line, without Markdown characters."""
    return "".join(f"\\{each}" if each in "\\`*_[]<>|#" else each for each in " ".join(text.split()))
