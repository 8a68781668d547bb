"""Names say what a thing is: vague ones are almost gone, and no synonym stands everywhere in their place."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VAGUE = set("found asked place said known told kept shown own beside wanted looked".split())
MOST_VAGUE = 25  # of all of them together
MOST_OF_ONE = 150
ORDINARY = set(  # bound more than 125 times before the vague ones were replaced: each is the thing's own word
    "_ before chosen column config corpus distance drawn each encoder error facts file first folder key kind label "
    "line lines name names number other part path progress result row rows run self settings side start state text "
    "texts title value values".split()
)


def bound_names(source: str) -> Iterator[str]:
    """Every name that a source assigns, takes as a parameter, or catches or matches something as."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name is not None:
            yield node.name


@cache
def counted_names() -> Counter[str]:
    files = [*(ROOT / "embedlab").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
    return Counter(name for file in files for name in bound_names(file.read_text(encoding="utf-8")))


def test_every_way_to_bind_a_name_is_counted():
    source = """
def show(found, *asked, told=0, **known):
    (said, [kept]), own = 1, 2
    for place in found:
        pass
    with open(place) as beside:
        shown = [looked for looked in beside if (wanted := looked)]
    try:
        found = print(found.said, asked=told)
    except OSError as told:
        pass
    match found:
        case {"said": place}, *kept:
            pass
        case [] as own:
            pass
"""
    once, twice = "asked known said beside shown looked wanted".split(), "found told kept own place".split()
    expected = Counter([*once, *twice, *twice])
    assert Counter(bound_names(source)) == expected and set(expected) == VAGUE


def test_hardly_a_name_has_to_be_decoded():
    names = counted_names()
    vague = {name: names[name] for name in sorted(VAGUE) if names[name]}
    assert sum(vague.values()) <= MOST_VAGUE, f"{sum(vague.values())} names that do not say what they are: {vague}"


def test_no_synonym_is_bound_everywhere():
    often = {name: n for name, n in counted_names().items() if n > MOST_OF_ONE and name not in ORDINARY}
    assert not often, f"a name that stands for everything says nothing: {often}"
