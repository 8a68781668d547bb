"""The question of each experiment of the lab, and its lesson once the four maps are named."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

from embedlab.measurement import share_error
from embedlab.numbers import joined, margin, percent
from embedlab.runs.drawn_map import LabFacts

LETTERS = ("A", "B", "C", "D")
CLEAR = 2  # standard errors of a difference of two maps beyond which it is one
SLIGHT = 0.05  # of all neighbors: as far as maps may differ in what they keep and hardly do


@dataclass(frozen=True)
class Experiment:
    """One question to answer before the names are shown."""

    key: str
    title: str
    setting: str  # what the four maps share and where they differ
    question: str
    lesson: Callable[[LabFacts], str]  # from the facts of the four maps
    asked_for: str = ""  # the name of the map that the question means; else one of ``answers``
    answers: tuple[str, ...] = ()  # the first is right

    def choices(self, order: list[int], names: list[str]) -> tuple[list[str], str]:
        """The possible guesses, and the right one, when map ``order[i]`` is at place i."""
        if self.answers:
            return sorted(self.answers), self.answers[0]
        return list(LETTERS), LETTERS[order.index(names.index(self.asked_for))]


def _perplexity(facts: LabFacts) -> str:
    shares_kept = [f"{percent(each.kept, 0)} at {each.perplexity:.0f}" for each in facts.maps]
    shares = [each.kept for each in facts.maps]
    difference = "hardly differs" if max(shares) - min(shares) <= SLIGHT else "differs"
    return (
        "Perplexity is the effective number of neighbors of each text: 2 breaks even groups into fragments, 100 "
        "smooths them together. The embeddings are the same in all four. The share of true neighbors that a map keeps "
        f"{difference}: {', '.join(shares_kept)}."
    )


def _seeds(facts: LabFacts) -> str:
    random, from_axes = facts.apart, facts.apart_pca
    assert random is not None and from_axes is not None, "both are measured with these four"
    far = f"two seeds from principal components, as the maps of a run start, are {from_axes:.2f} radii apart"
    start = (
        f"From principal components the seed hardly matters: {far}."
        if from_axes < random / 2
        else f"Principal components make most corpora reproducible; these texts fill one cloud, and {far}."
    )
    return (
        "Texts that are close together stay close, but positions change: with the maps overlaid, a text is on average "
        f"{random:.2f} radii from its own position on another of the four (unrelated maps: about 1.25). {start} "
        f"Neither makes large distances meaningful."
    )


def _noise(facts: LabFacts) -> str:
    noise = {round(each.perplexity): each for each in facts.maps if each.of == "Gaussian noise"}
    noise_kept = " and ".join(f"{percent(each.kept, 0)} at perplexity {number}" for number, each in noise.items())
    texts = facts.maps[0]
    return (
        f"Noise fills a disc; clumps seen in it are chance. A map of noise keeps {noise_kept} of the neighbors, that "
        f"of your texts keeps {percent(texts.kept, 0)}; by chance it is {percent(texts.chance, 0)}. Shuffling "
        f"every dimension keeps the numbers of your texts but destroys their relations: a group that this map lacks is "
        "in the texts, not in t-SNE."
    )


def _exaggeration(facts: LabFacts) -> str:
    knn = [each.knn_in_picture for each in facts.maps if each.knn_in_picture is not None]
    kept_shares = [each.kept for each in facts.maps]
    numbers = f"neighbors kept {_percents(kept_shares)}"
    if knn:
        error = max(share_error(value, facts.texts) for value in knn)
        numbers += f", kNN in the picture {_percents(knn)} ({margin(error)} each)"
    return (
        "Early exaggeration pulls neighbors together while the map is still small; it is meant to keep groups from "
        f"getting stuck in pieces. {_effect(facts, knn or kept_shares)}: {numbers}, with 1 (without "
        "it), 4, 12 and 30. A group in two pieces need not be two groups."
    )


def _effect(facts: LabFacts, shares: list[float]) -> str:
    """The map without the setting against each of the three with it; an effect is clear only if all three agree."""
    without, *others = shares
    margins = [CLEAR * sqrt(2) * share_error(each, facts.texts) for each in others]
    if all(each - without > margin for each, margin in zip(others, margins, strict=True)):
        return "The map without it is worse here"
    if all(without - each > margin for each, margin in zip(others, margins, strict=True)):
        return "The map without it is better here"
    return "Here it has no clear effect"


def _percents(shares: list[float]) -> str:
    """``50, 53, 51 and 52 %``"""
    return f"{joined([percent(share, 0).removesuffix(' %') for share in shares])} %"


EXPERIMENTS = (
    Experiment(
        "perplexity",
        "Perplexity",
        "The same texts, four perplexities: 2, 10, 30 and 100.",
        "Which of the four was drawn with perplexity 2?",
        _perplexity,
        asked_for="perplexity 2",
    ),
    Experiment(
        "seeds",
        "Seeds",
        "The same texts and settings, four random starts.",
        "What will the four maps have in common?",
        _seeds,
        answers=("Which texts are close together", "Where each group is", "Which groups are large and far apart"),
    ),
    Experiment(
        "noise",
        "Random data",
        "Three of these are made of random numbers, one of your texts.",
        "Which one shows your texts?",
        _noise,
        asked_for="your texts",
    ),
    Experiment(
        "exaggeration",
        "Early exaggeration",
        "The same texts and random start, early exaggeration 1, 4, 12 and 30.",
        "Which of the four was drawn without it (1)?",
        _exaggeration,
        asked_for="early exaggeration 1",
    ),
)
