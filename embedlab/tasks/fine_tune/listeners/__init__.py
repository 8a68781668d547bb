"""The listeners of a training, in the order in which they are called; those that embed texts come first."""

from embedlab.tasks.fine_tune.listeners.base import Listener
from embedlab.tasks.fine_tune.listeners.best_step import BestStep
from embedlab.tasks.fine_tune.listeners.checkpoints import Checkpoints
from embedlab.tasks.fine_tune.listeners.early_stopping import EarlyStopping
from embedlab.tasks.fine_tune.listeners.film import Film
from embedlab.tasks.fine_tune.listeners.judging import Judging
from embedlab.tasks.fine_tune.listeners.live_accuracy import LiveAccuracy
from embedlab.tasks.fine_tune.listeners.live_rows import LiveRows
from embedlab.tasks.fine_tune.listeners.target_accuracy import TargetAccuracy
from embedlab.tasks.fine_tune.listeners.terms import Terms
from embedlab.tasks.fine_tune.listeners.watching import Watching

LISTENERS: list[type[Listener]] = [
    LiveAccuracy,
    Judging,
    TargetAccuracy,
    BestStep,
    EarlyStopping,
    Watching,
    LiveRows,  # writes down what those above found
    Film,
    Terms,
    Checkpoints,
]
