"""Public benchmarks: MTEB by its package, USEB and SciRepEval by readers of our own."""

from embedlab.benchmarks.sets import BEIR_14, CROPS_TABLE_2, LIKE_USEB, SCIREPEVAL, UNSEE, USEB
from embedlab.registry import Registry

BENCHMARKS = Registry("benchmark", [CROPS_TABLE_2, UNSEE, BEIR_14, USEB, LIKE_USEB, SCIREPEVAL])
