"""A run stands beside its own untouched encoder, never beside one of the same name that was read otherwise."""

import pytest
from builders import change_result, shares

from embedlab.comparison.pivot import pivot_of
from embedlab.comparison.rows import RUN, UNTOUCHED, compared_rows
from embedlab.runs.result import read_result


def began(run, before: float, **facts):
    """The run with what its encoder did before, and how that was read."""
    found = read_result(run).knn
    by_cosine = found.before.cosine.value
    change_result(run, **facts, knn=found.model_copy(update={"before": shares(before, by_cosine)}))
    return run


@pytest.fixture
def three(made_run):
    """Three runs from one encoder's name: by the mean, by [CLS], and of fewer tokens."""
    return [
        began(made_run("minilm", name="mean"), 0.442, pooling="mean", max_length=256),
        began(made_run("minilm", name="cls", recipe="simcse"), 0.367, pooling="cls", max_length=256),
        began(made_run("minilm", name="short", recipe="mlm"), 0.517, pooling="mean", max_length=64),
    ]


def test_untouched_encoders_that_were_read_otherwise_have_names_of_their_own(three):
    rows = {row.name: row.path for row in compared_rows(three) if row.kind == UNTOUCHED}
    assert rows == {
        "MiniLM (packaged), untouched, pooling mean, tokens read 256": three[0].path,
        "MiniLM (packaged), untouched, pooling cls, tokens read 256": three[1].path,
        "MiniLM (packaged), untouched, pooling mean, tokens read 64": three[2].path,
    }


def test_only_what_differs_is_said_and_one_alone_is_called_untouched(three):
    names = [row.name for row in compared_rows(three[:2]) if row.kind == UNTOUCHED]
    assert names == ["MiniLM (packaged), untouched, pooling mean", "MiniLM (packaged), untouched, pooling cls"]
    assert [row.name for row in compared_rows(three[:1]) if row.kind == UNTOUCHED] == ["MiniLM (packaged), untouched"]


def test_recipe_by_corpus_has_a_line_for_each_and_each_recipe_says_which_it_began_with(three):
    cells = pivot_of(compared_rows(three), "knn").cells
    means = {recipe: cell.mean for (_, recipe), by in cells.items() for cell in by.values()}
    began_with = {each: f"pooling {each.partition(' ')[0]}, tokens read {each.partition(' ')[2]}"
                  for each in ("mean 256", "cls 256", "mean 64")}  # fmt: skip
    assert means == pytest.approx({
        f"untouched, {began_with['mean 256']}": 0.442, f"crops, {began_with['mean 256']}": 0.6,
        f"untouched, {began_with['cls 256']}": 0.367, f"simcse, {began_with['cls 256']}": 0.6,
        f"untouched, {began_with['mean 64']}": 0.517, f"mlm, {began_with['mean 64']}": 0.6,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("other", "said"),
    [({"vocabulary_size": 1000}, "vocabulary size 1000"), ({"train_on": "train_split"}, "vocabulary of train_split")],
)
def test_a_vocabulary_of_its_own_is_an_encoder_of_its_own(made_run, other, said):
    """Also where both do equally well before training."""
    runs = [made_run("token", name="a", vocabulary_size=30522), made_run("token", name="b", vocabulary_size=30522)]
    assert len([row for row in compared_rows(runs) if row.kind == UNTOUCHED]) == 1
    runs[1] = made_run("token", name="c", **{"vocabulary_size": 30522, **other})
    rows = compared_rows(runs)
    assert [row.name for row in rows if row.kind == UNTOUCHED][
        1
    ] == f"Token embeddings, from scratch, untouched, {said}"
    assert any(recipe.startswith("untouched") and said in recipe for _, recipe in pivot_of(rows, "knn").cells)
    assert len({row.name for row in rows}) == len(rows) and len([row for row in rows if row.kind == RUN]) == 2


def test_names_are_told_apart_where_nothing_that_is_known_differs(made_run):
    """As after the corpus' test texts were drawn anew."""
    runs = [began(made_run("minilm", name=f"run {place}"), value) for place, value in enumerate((0.75, 0.5, 0.208))]
    names = [row.name for row in compared_rows(runs) if row.kind == UNTOUCHED]
    assert len(set(names)) == 3
