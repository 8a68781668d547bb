"""A batch read in parts trains as the whole batch does, in the memory of a part; too little memory halves the parts."""

import pytest
import torch
from test_checkpoints import bench, every_recipe, steps

from embedlab.encoders.parts import Parts, read_in, read_in_parts, read_views, training_parts
from embedlab.errors import SettingsError

CACHED = Parts(tokens=64, texts=3, recomputed=True)


def gradients(corpus, pairs, recipe: str, parts: Parts | None, *, dropout: bool) -> tuple[float, torch.Tensor]:
    """Loss and all gradients, as one vector, of a recipe's first batch."""
    made, batches = bench(corpus, "scratch:bert-tiny", recipe, pairs=pairs)
    encoder, objective = made["encoder"], made["objective"]
    encoder.train(), objective.train()
    if not dropout:
        for module in (each for part in (encoder, objective) for each in part.modules()):
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
    if parts is not None:
        read_in(parts, encoder, objective)
    batch = batches.at(0)
    said = {"groups": batch.groups, "targets": batch.targets}
    said = {name: torch.from_numpy(values) for name, values in said.items() if values is not None}
    torch.manual_seed(7)
    terms = objective(encoder, [encoder.collate(view) for view in batch.views], **said)
    terms["loss"].backward()
    found = [p.grad.flatten() for p in made["optimiser"].parameters if p.grad is not None]
    return float(terms["loss"].detach()), torch.cat(found)


@pytest.mark.parametrize("recipe", every_recipe())
@pytest.mark.parametrize("parts", [CACHED, Parts(tokens=64)], ids=["cached", "by length"])
def test_without_dropout_the_gradient_is_that_of_the_whole_batch(summarised_corpus, given_pairs, recipe, parts):
    loss, whole = gradients(summarised_corpus, given_pairs, recipe, None, dropout=False)
    in_parts, divided = gradients(summarised_corpus, given_pairs, recipe, parts, dropout=False)
    assert in_parts == pytest.approx(loss, rel=1e-5)
    assert whole.norm() > 0 and (divided - whole).norm() <= 1e-5 * whole.norm()


@pytest.mark.slow
@pytest.mark.parametrize("recipe", every_recipe())
def test_with_dropout_what_is_computed_again_has_the_same_random_numbers(summarised_corpus, given_pairs, recipe):
    loss, kept = gradients(summarised_corpus, given_pairs, recipe, Parts(64, 3), dropout=True)
    again, recomputed = gradients(summarised_corpus, given_pairs, recipe, CACHED, dropout=True)
    assert again == loss
    assert kept.norm() > 0 and (recomputed - kept).norm() <= 1e-6 * kept.norm()
    _, other = gradients(summarised_corpus, given_pairs, recipe, None, dropout=False)
    assert (other - kept).norm() > 1e-3 * kept.norm()  # dropout was on


def test_rows_come_back_in_their_order_and_every_part_keeps_within_its_bounds():
    lengths = [3, 9, 1, 9, 4, 2]
    tokens = {
        "ids": torch.tensor([[row] * length + [0] * (9 - length) for row, length in enumerate(lengths)]),
        "attention_mask": torch.tensor([[1] * length + [0] * (9 - length) for length in lengths]),
    }
    seen = []

    def read(part):
        seen.append(tuple(part["ids"].shape))
        return part["ids"][:, :1] * 10

    assert read_in_parts(read, tokens, Parts(tokens=12)).flatten().tolist() == [0, 10, 20, 30, 40, 50]
    assert seen == [(1, 9), (1, 9), (3, 4), (1, 1)]  # longest first; 3 × 4 tokens are 12
    wide = read_in_parts(lambda part: part["ids"].unsqueeze(2), tokens, Parts(tokens=12))
    assert torch.equal(wide.squeeze(2), tokens["ids"])
    assert Parts(texts=4).of(lengths) == [[1, 3, 4, 0], [5, 2]]


def test_views_of_several_widths_are_read_in_one_pass_where_batches_are_divided(summarised_corpus, monkeypatch):
    made, batches = bench(summarised_corpus, "scratch:bert-tiny", "crops")
    encoder = made["encoder"].eval()
    views = [encoder.collate(view) for view in batches.at(0).views]
    views[1] = {name: values[:5, :9] for name, values in views[1].items()}
    apart = read_views(encoder, views)
    passes = []
    monkeypatch.setattr(encoder, "forward", lambda tokens: (passes.append(len(tokens["input_ids"])), real(tokens))[1])
    real = type(encoder).forward.__get__(encoder)
    read_in(Parts(tokens=64), encoder)
    for vectors, expected in zip(read_views(encoder, views), apart, strict=True):
        torch.testing.assert_close(vectors, expected, atol=1e-5, rtol=1e-5)
    assert passes == [sum(len(view["input_ids"]) for view in views)]
    read_in(None, encoder)
    read_views(encoder, views)
    assert passes[1:] == [len(view["input_ids"]) for view in views]


def test_only_a_cpu_or_a_micro_batch_divides():
    assert training_parts("cuda", None, 64, dim=8) is None and training_parts("cuda", 64, 64, dim=8) is None
    assert training_parts("cuda", 8, 64, dim=8) == Parts(None, 8, recomputed=True)
    assert training_parts("cpu", None, 64, dim=384) == Parts(2048) and training_parts(
        "cpu", None, 64, dim=768
    ) == Parts(1024)


def fail_above(monkeypatch, encoder, rows: int) -> None:
    """Memory for so many texts at once."""
    read = type(encoder.model).forward

    def within(model, *args, **tokens):
        if len(tokens["attention_mask"]) > rows:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return read(model, *args, **tokens)

    monkeypatch.setattr(type(encoder.model), "forward", within)


@pytest.mark.parametrize("recipe", ["crops", "contrastive-tension", "byol"])
def test_too_little_memory_halves_the_parts_and_changes_no_bit(summarised_corpus, monkeypatch, recipe):
    asked, batches = bench(summarised_corpus, "scratch:bert-tiny", recipe)
    read_in(Parts(texts=4, recomputed=True), asked["encoder"], asked["objective"])
    losses = [step.terms["loss"] for step in steps(asked, batches, 0, 3)]

    short, batches = bench(summarised_corpus, "scratch:bert-tiny", recipe)
    fail_above(monkeypatch, short["encoder"], 7)
    told = []
    found = list(steps(short, batches, 0, 3, smaller=told.append))
    assert told == [8, 4] and [step.terms["loss"] for step in found] == losses
    assert short["encoder"].weights_hash() == asked["encoder"].weights_hash()


def test_memory_for_no_text_at_all_is_a_sentence(summarised_corpus, monkeypatch):
    made, batches = bench(summarised_corpus, "scratch:bert-tiny", "crops")
    fail_above(monkeypatch, made["encoder"], 0)
    with pytest.raises(SettingsError, match="however few texts are processed at a time"):
        steps(made, batches, 0, 1)


def test_another_runtime_error_is_not_taken_for_memory(summarised_corpus, monkeypatch):
    made, batches = bench(summarised_corpus, "scratch:bert-tiny", "crops")
    monkeypatch.setattr(made["encoder"], "_vectors", lambda tokens: torch.zeros(2, 3) @ torch.zeros(2, 3))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        steps(made, batches, 0, 1)
