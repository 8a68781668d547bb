"""Twenty kills at random moments, most of them within evaluations and writes: no run ends otherwise for it."""

import itertools
import os
import random
from pathlib import Path

import pytest
from killing import EVALUATION, FAMILIES, STEP, WRITE, story
from patience import until

from embedlab.jobs.requests.measuring import CompareRuns
from embedlab.jobs.runner import submit, wait

SEED = int(os.environ.get("EMBEDLAB_KILL_SEED", "20261123"))
KILLS = 2  # of each family
QUICK = ("crops, token layer",)  # the others are left to -m slow


@pytest.fixture(scope="module")
def warm(warm_workers, tmp_path_factory):
    """The process that workers are forked from is ready: a worker that is started without it would not be killed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(tmp_path_factory.mktemp("warming")))
        wait(submit(CompareRuns(rows=())))
    until(Path(os.environ["EMBEDLAB_WARM"]).exists)


@pytest.mark.parametrize(
    "family", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in FAMILIES]
)
def test_a_run_that_is_killed_again_and_again_ends_as_one_that_is_left_alone(warm, summarised_corpus, family):
    number = list(FAMILIES).index(family)
    places = itertools.cycle([[STEP, WRITE], [WRITE, EVALUATION], [EVALUATION, WRITE]][number % 3])
    rng = random.Random(f"{SEED} {family}")
    told = story(family, summarised_corpus.info.fingerprint, kills=KILLS, rng=rng, places=places)
    assert len(told.kills) == KILLS and not told.differences, f"seed {SEED}, {told}"
