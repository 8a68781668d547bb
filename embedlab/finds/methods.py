"""The methods paragraph of a Find: what was tried, how it was chosen, how many were compared, with citations."""

from embedlab.corpora.stored.shelf import list_corpora
from embedlab.distance import DISTANCES, SHOWN_FIRST
from embedlab.finds.in_words import change_line, value_line
from embedlab.finds.judging import is_by_labels
from embedlab.finds.lines import NAMES
from embedlab.finds.model import KNN_ACCURACY, FindResults, FindSettings
from embedlab.finds.sampler import KEPT, SHARES
from embedlab.numbers import joined
from embedlab.report.citations import describe_recipe, works_of_encoder
from embedlab.report.methods import Cited, Methods


def methods_of_find(settings: FindSettings, results: FindResults) -> Methods | None:
    """From its results; None if nothing is chosen yet, or the corpus is gone."""
    corpus = next((info for info in list_corpora() if info.fingerprint == settings.corpus), None)
    if corpus is None or results.chosen is None:
        return None
    cite = Cited()
    sentences = [
        f"An encoder for the corpus {corpus.name} ({corpus.texts:,} texts, data fingerprint {corpus.fingerprint}) was "
        f"searched for in {settings.minutes:g} minute{'' if settings.minutes == 1 else 's'} with seed {settings.seed}.",
        _tried(results, cite),
        *_rungs(results, cite),
        *_chosen(settings, results),
        *_verdict(settings, results, cite),
    ]
    return Methods(" ".join(sentences), tuple(cite.keys))


def _tried(results: FindResults, cite: Cited) -> str:
    """Baselines, untouched encoders, and the trained recipes."""
    measured = [each for each in results.candidates if each.points]
    encoders = [each.encoder for each in measured if each.kind == "untouched" and each.dimensions is None]
    cuts = {each.dimensions for each in measured if each.dimensions is not None}
    recipes = dict.fromkeys(each.recipe for each in results.trained() if each.points)
    named = [f"{each}{cite(*works_of_encoder(each))}" for each in encoders]
    text = f"Measured were TF-IDF and its SVD{f', and untouched {joined(named)}' if named else ''}"
    if cuts:
        first = joined(f"{each:,}" for each in sorted(cuts))
        text += f", also by the first {first} dimensions of their vectors{cite('kusupati2022matryoshka')}"
    if recipes:
        recipes_listed = joined(f"{words}{cite(*works)}" for words, works in map(describe_recipe, recipes))
        text += f"; trained were {recipes_listed}"
    return f"{text}."


def _rungs(results: FindResults, cite: Cited) -> list[str]:
    """Successive halving, if anything was trained."""
    begun = [each for each in results.trained() if each.points and not each.branch_of]
    if not begun:
        return ["Nothing was trained."]
    reached = [sum((each.rung or 0) >= rung for each in begun) for rung in range(len(SHARES))]
    shares = joined(f"1/{round(1 / share)}" for share in SHARES[:-1])
    branches = [each.length for each in results.trained() if each.branch_of and each.rung == len(SHARES) - 1]
    trainings = "One training" if len(begun) == 1 else f"{len(begun):,} trainings"
    sentences = [
        f"{trainings} started with settings drawn by Optuna{cite('akiba2019optuna')} with the "
        f"tree-structured Parzen estimator{cite('bergstra2011tpe')}, and continued by successive halving"
        f"{cite('jamieson2016successive')}: after {shares} of the steps that fit the texts the best 1/{KEPT} continued "
        f"({', '.join(f'{count:,}' for count in reached)} in the rungs), at a constant rate that fell to 0 in the last."
    ]
    if branches:
        sentences.append(
            f"The best settings were also trained {joined(f'{each:g}' for each in branches)} times as long."
        )
    return sentences


def _chosen(settings: FindSettings, results: FindResults) -> list[str]:
    """What chose, and what was chosen."""
    count = results.development_texts
    texts = "one development text" if count == 1 else f"{count:,} development texts"
    if settings.judge is None:
        by = f"{KNN_ACCURACY} ({DISTANCES[SHOWN_FIRST]}) of {texts}"
    elif is_by_labels(settings.judge):
        by = f"{results.metric} of {count:,} labeled texts, each among the others of one half of the labels"
    else:
        by = f"{results.metric} on one half of a judging file (data fingerprint {settings.judge})"
    chosen = results.chosen_candidate.described
    if results.too_few:
        return [f"Candidates were measured by {by}, too few to rank them; {chosen} was taken unranked."]
    return [f"Candidates were compared by {by}, which chose {chosen}."]


def _verdict(settings: FindSettings, results: FindResults, cite: Cited) -> list[str]:
    """The fully trained winner, its comparisons, and their intervals."""
    verdict = results.verdict
    if verdict is None:
        return []
    value = value_line(verdict.metric, verdict.value.by(SHOWN_FIRST))
    against = joined(
        f"{change_line(verdict.metric, change.by(SHOWN_FIRST))} against {NAMES[key]}"
        for key, change in verdict.against.items()
    )
    intervals = cite("nadeau2003inference") if verdict.metric == KNN_ACCURACY else ""
    is_trained = results.chosen_candidate.kind == "trained"
    again = "trained again in full with a falling rate" if is_trained else "measured as it is"
    half = "of the labels" if is_by_labels(settings.judge) else "of that file"
    where = "texts" if settings.judge is None else f"the other half {half}, texts"
    return [
        f"It was chosen among {verdict.compared:,} candidates, {again} (run {verdict.run}) and judged on {where} that "
        f"chose nothing: {verdict.metric} {value}, {against} (paired intervals{intervals})."
    ]
