"""The works that a run builds on, read from ``works.bib``, and how parts describe themselves in a methods paragraph."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from embedlab.corpora.catalog import CATALOG
from embedlab.encoder_catalog.catalog import encoder_card
from embedlab.errors import UserError
from embedlab.training.recipes import recipe_of


@dataclass(frozen=True)
class Citation:
    """One BibTeX entry; ``short`` is its form within a sentence."""

    key: str
    short: str
    bibtex: str


@cache
def citations() -> dict[str, Citation]:
    """All works, by key."""
    import bibtexparser
    from bibtexparser import Library

    style = bibtexparser.BibtexFormat()
    style.indent, style.value_column, style.trailing_comma = "  ", "auto", True
    works = {}
    for entry in bibtexparser.parse_file(str(Path(__file__).with_name("works.bib")), encoding="utf-8").entries:
        short = entry.pop("short")  # no field of BibTeX's
        assert short is not None, f"{entry.key} has no short name"
        whole = bibtexparser.write_string(Library([entry]), bibtex_format=style)
        works[entry.key] = Citation(entry.key, short.value, whole.strip())
    return works


def describe_recipe(key: str) -> tuple[str, tuple[str, ...]]:
    """The words for a recipe after "fine-tuned with", and its works; for an unknown recipe its key."""
    try:
        recipe = recipe_of(key)
    except UserError:
        return f"the recipe {key}", ()
    return recipe.methods_phrase, recipe.works


def works_of_encoder(reference: str) -> tuple[str, ...]:
    """Works to cite for an encoder of the catalog; none for any other."""
    card = encoder_card(reference)
    return card.cites if card else ()


def works_of_corpus(name: str) -> tuple[str, ...]:
    """Works to cite for a corpus of the catalog; none for any other."""
    return CATALOG[name].cites if name in CATALOG else ()
