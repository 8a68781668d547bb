"""Hubness: whether some texts are neighbors of very many, and others of none."""

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.diagnostics.base import (
    GEOMETRY,
    Diagnostic,
    DiagnosticResult,
    EncoderView,
    phrases_of_states,
    value_in_words,
)
from embedlab.neighbors import neighbor_graph
from embedlab.numbers import percent
from embedlab.picture import Picture, Series, rounded
from embedlab.statistics.geometry import k_occurrence

K, SHOWN = 10, 20


class HubnessConfig(Config):
    """How many texts to search."""

    texts: int = Field(
        20_000, ge=10, le=150_000, description="Number of randomly drawn texts; fewer if there are fewer."
    )
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed of the random draw.")


class Hubness(Diagnostic):
    """N₁₀, how often a text is among the ten nearest of another."""

    key = "hubness"
    title = "Hubness"
    group = GEOMETRY
    question = "Are some texts everybody's neighbors?"
    sentence = (
        "N₁₀ is how often a text is among the ten nearest of other texts (cosine). Its skewness is 0 if all texts "
        "appear equally often; hubs make it large, and texts that are never a neighbor are never found by a search. "
        "Copies and very short texts are hubs for other reasons: look at them."
    )
    paper = "Radovanović et al. 2010"
    cites = ("radovanovic2010hubs",)
    unit = "skewness"
    number = ("skewness", "Hubness (skewness of N₁₀)")
    config_class = HubnessConfig

    @staticmethod
    def measure(view: EncoderView, config: HubnessConfig) -> DiagnosticResult:
        """Within a sample of texts."""
        from scipy.stats import skew

        rows = view.usable(view.sample(config.texts, config.seed))
        if len(rows) < 3:
            return DiagnosticResult({"skewness": None, "nobodys": None, "texts": len(rows), "hubs": []})
        vectors = np.ascontiguousarray(view.vectors[rows], np.float32)
        graph = neighbor_graph(vectors, k=K, distance="cosine", device=view.device, progress=view.progress)
        times = k_occurrence(np.asarray(graph.indices))
        hubs = np.argsort(-times, kind="stable")[:SHOWN]
        view.cache["occurrence"] = dict(zip(rows.tolist(), times.tolist(), strict=True))
        before = {} if view.untouched is None else view.untouched.cache.get("occurrence", {})
        values = {
            "skewness": float(skew(times)) if times.std() else 0.0,
            "nobodys": float((times == 0).mean()),
            "texts": len(rows),
            "hubs": [
                {"row": int(rows[hub]), "times": int(times[hub]), "before": before.get(int(rows[hub]))} for hub in hubs
            ],
        }
        counts = np.bincount(np.minimum(times, 5 * K))
        bars = Series("", list(range(len(counts))), rounded(counts / len(rows)))
        title = f"How often a text is among the {K} nearest of others ({5 * K} or more in the last)"
        return DiagnosticResult(values, Picture("bars", title, f"N{K}", "share of texts", (bars,)))

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The skewness, and the share of texts that are never a neighbor."""
        if any(each["skewness"] is None for each in results.values()):
            return "There are too few texts to have neighbors."
        shares = [percent(each["nobodys"]) for each in results.values()]
        shares[0] += " of the texts"
        never = phrases_of_states(dict(zip(results, shares, strict=True)))
        return f"Hubness is {value_in_words(results, 'skewness')}. Never a neighbor: {never}."
