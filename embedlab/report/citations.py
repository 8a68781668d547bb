"""The works a run rests on, read from ``works.bib``, and what parts say of themselves in a methods paragraph."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from embedlab.corpora.catalog import CATALOG
from embedlab.encoder_names import is_token_layer, kind_of

_WORKS = Path(__file__).with_name("works.bib")


@dataclass(frozen=True)
class Citation:
    """One BibTeX entry; ``short`` is how a sentence names it."""

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
    found = {}
    for entry in bibtexparser.parse_file(str(_WORKS), encoding="utf-8").entries:
        short = entry.pop("short").value  # no field of BibTeX's
        whole = bibtexparser.write_string(Library([entry]), bibtex_format=style)
        found[entry.key] = Citation(entry.key, short, whole.strip())
    return found


class Cards:
    """What the parts say of themselves; ``parts`` is the parts file's content, empty where nobody has written it."""

    def __init__(self, parts: dict):
        kinds = ("recipes", "own_combinations", "encoders", "optimisers")
        self._cards = {kind: {card["key"]: card for card in parts.get(kind, [])} for kind in kinds}

    def recipe(self, key: str) -> tuple[str, tuple[str, ...]]:
        """How a recipe is told after "fine-tuned by", and its works; one that is not known is told by its key."""
        card = self._cards["recipes"].get(key) or self._cards["own_combinations"].get(key)
        return (card["told"], tuple(card["cites"])) if card else (f"the recipe {key}", ())

    def optimiser(self, key: str) -> tuple[str, tuple[str, ...]]:
        """Its name, and its works."""
        card = self._cards["optimisers"].get(key)
        return (card["title"], tuple(card["cites"])) if card else (key, ())

    def encoder(self, reference: str) -> dict | None:
        """The card of an encoder of the catalog; ``token:minilm`` has that of ``token``."""
        return self._cards["encoders"].get(kind_of(reference) if is_token_layer(reference) else reference)

    def works_of_encoder(self, reference: str) -> tuple[str, ...]:
        """What an encoder's name asks to be cited; nothing for one that is not in the catalog."""
        card = self.encoder(reference)
        return tuple(card["cites"]) if card else ()


def works_of_corpus(name: str) -> tuple[str, ...]:
    """What a corpus of the catalog asks to be cited; nothing for any other."""
    return CATALOG[name].cites if name in CATALOG else ()
