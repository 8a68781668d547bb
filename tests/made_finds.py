"""Finds as a worker would have left them, without any training: at work, finished, beaten by counting words."""

from builders import both, change, shares

from embedlab.finds.lines import verdict_sentence
from embedlab.finds.model import (
    Candidate,
    CandidateState,
    FindResults,
    FindSettings,
    LeaderboardRow,
    RungResult,
    Verdict,
)
from embedlab.finds.store import Find, results_of, write_results
from embedlab.jobs.requests.working import RunFind
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.statistics.separable import BEST, INSEPARABLE, NOT_COMPARED, REFERENCE, WORSE

TEXTS = 400  # development texts
CHEAPEST = "Text crops on Words of the corpus"
WINNER = "Sentence against sentence on Words of the corpus"
TOKEN = "Token embeddings, from scratch"
RUNGS = (1 / 9, 1 / 3, 1.0)


def candidate(
    key: str, *values: float, kind: str = "trained", title: str = "", planned: int = 540, state="pruned", **facts
) -> Candidate:
    """With these values by Euclidean distance at step 0 and the ends of the rungs; by cosine one point better."""
    steps = [0, *(round(planned * rung) for rung in RUNGS)] if kind == "trained" else [0]
    points = tuple(
        RungResult(
            rung=max(number - 1, 0), steps=step, seconds=1 + step / 20, value=shares(value, value + 0.01, n=TEXTS)
        )
        for number, (step, value) in enumerate(zip(steps, values, strict=False))
    )
    settings = {"batch_size": 64, "length": 1.0, "objective": {"temperature": 0.05}} if kind == "trained" else {}
    seconds = points[-1].seconds if points else 0.0
    return Candidate(
        key=key, kind=kind, title=title or key, state=CandidateState(state), points=points, seconds=seconds,
        planned=planned if kind == "trained" else None, settings=settings,
        encoder=facts.pop("encoder", "words"), **facts,
    )  # fmt: skip


def candidates() -> tuple[Candidate, ...]:
    """Two reference lines, two encoders as they are, six trainings, one that failed and one that was not tried."""
    return (
        candidate("tfidf", 0.58, kind="reference", title="TF-IDF", state="finished", encoder=""),
        candidate("svd", 0.60, kind="reference", title="SVD of TF-IDF", state="finished", encoder=""),
        candidate("words", 0.52, kind="untouched", title="Words of the corpus, untouched", state="finished"),
        candidate(
            "token",
            0.41,
            kind="untouched",
            title="Token embeddings, from scratch, untouched",
            state="finished",
            encoder="token",
        ),
        candidate("a", 0.52, 0.58, 0.62, title=WINNER, state="promoted"),
        candidate("b", 0.52, 0.57, 0.615, title=CHEAPEST, state="running"),
        candidate("c", 0.52, 0.54, title="Sentence against the rest on Words of the corpus"),
        candidate("d", 0.41, 0.47, title=f"Sentence against the rest on {TOKEN}", planned=300, encoder="token"),
        candidate("e", 0.41, 0.45, title=f"Text crops on {TOKEN}", planned=900, encoder="token"),
        candidate("f", 0.41, title="token, <b>odd</b> :smile: $x$", state="running", planned=200, encoder="token"),
        candidate("g", title="deletion on token", state="failed", reason="The loss became NaN or infinite."),
        candidate(
            "h",
            title="Text crops on MiniLM (packaged)",
            state="not tried",
            cost_seconds=1500.0,
            reason="It would take about 1500 seconds; one candidate may take 75.",
        ),
    )


def working() -> FindResults:
    """In the second of three rungs, 75 s of its minutes gone."""
    return FindResults(
        candidates=candidates(), rungs=RUNGS, entrants=6, rung=1, spent=75.0, development_texts=TEXTS
    )  # fmt: skip


def over(*, winner: str | None = None, beats: bool = True, **facts) -> FindResults:
    """The first training chosen, the second not told apart and cheaper; ``beats``: whether it beats counting."""
    done = working().having(candidate("a", 0.52, 0.58, 0.62, 0.66, title=WINNER, state="finished"))
    done = done.having(candidate("b", 0.52, 0.57, 0.615, 0.65, planned=270, state="finished",
                                 title=CHEAPEST))  # fmt: skip
    done = done.having(candidate("f", 0.41, 0.42, title="token, <b>odd</b> :smile: $x$", planned=200, encoder="token"))
    marks = [
        ("a", BEST),
        ("b", INSEPARABLE),
        ("svd", REFERENCE),
        ("tfidf", REFERENCE),
        ("words", WORSE),
        ("c", NOT_COMPARED),
    ]
    difference = change(*((0.041, 0.012, 0.07) if beats else (-0.012, -0.04, 0.016)))
    against = {"untouched": both(change(0.11, 0.08, 0.14)), "tfidf": both(difference), "svd": both(difference)}
    about = dict(compared=8, metric="kNN accuracy", beats_counting=beats, visible=0.028)
    value = shares(0.63, 0.64, n=1200)
    sentence = verdict_sentence(value, against, **about)
    verdict = Verdict(run=winner or "", value=value, against=against, sentence=sentence, **about)
    update = dict(
        leaderboard=tuple(LeaderboardRow(key=key, mark=mark) for key, mark in marks), chosen="a", cheapest="b", rung=2,
        winner_run=winner, verdict=verdict, spent=300.0,
    )  # fmt: skip
    return done.model_copy(update=update | facts)


def made_find(corpus: str, state: str, results: FindResults | None = None, *, minutes: float = 5, **facts) -> Find:
    """A Find whose newest job stands so; what it found is left out where there is nothing yet."""
    find = Find.create(FindSettings(corpus=corpus, minutes=minutes))
    if results is not None:
        write_results(find, results)
    job = create_run(RunFind.task, RunFind(find=find.id).stored)
    write_state(job, State(state), **facts)
    return find


def table(find: Find) -> dict:
    """What two Finds of the same settings have in common."""
    results = results_of(find)
    rows = [
        (each.key, each.kind, each.title, each.settings, each.state, each.rung, each.planned)
        + tuple((point.rung, point.steps, point.value) for point in each.points)
        for each in results.candidates
    ]
    verdict = results.verdict.model_dump(exclude={"run"})
    return {"rows": rows, "leaderboard": results.leaderboard, "chosen": results.chosen, "verdict": verdict}
