"""What parts refuse that few users meet, and by which sentence: files, encoders, runs and lessons."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from builders import finished, leave_result
from filelock import FileLock

from embedlab.benchmarks import scirepeval
from embedlab.cli import comparing, evaluating, studying
from embedlab.comparison.rows import rows_of
from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.formats import characters, folders
from embedlab.corpora.proposal import Reading, propose_columns
from embedlab.corpora.sets.queries import judgements_of
from embedlab.corpora.sets.reading import read_judgements, read_set
from embedlab.corpora.tables import Table
from embedlab.device import Device
from embedlab.diagnostics.attention_gain import _plain_attention
from embedlab.encoders.load import updated_encoder
from embedlab.encoders.processes import Processes
from embedlab.encoders.token_prediction import decoder_of
from embedlab.encoders.transformer import Transformer
from embedlab.errors import EmbedlabError
from embedlab.finds.model import FindSettings
from embedlab.finds.store import create_find, delete_find
from embedlab.jobs.executors import EXECUTORS
from embedlab.jobs.requests.working import RunFind
from embedlab.learn.catalog import LARGEST, keep_lesson
from embedlab.learn.views.charts import Lines
from embedlab.learn.views.run_maps import Four, Replay
from embedlab.limits import LIMITS
from embedlab.private import secret
from embedlab.progress import silent
from embedlab.runs.selections import open_selection
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, create_run_at
from embedlab.store_root import store_root
from embedlab.tasks.find import job as find_job
from embedlab.tasks.measure.diagnose import pairs_of_set
from embedlab.tasks.measure.subjects import TextSubject
from embedlab.tasks.mining import matching
from embedlab.training.batches import Batches
from embedlab.training.preparation import rank_judge_of
from embedlab.vectors.opened import open_vectors
from embedlab.worker import work
