"""Options of the command ``train`` that several tests and benchmarks share."""

RESULT_ALONE = ["--set", "maps=false", "--set", "inside=false", "--set", "live_texts=0"]  # nothing but the verdict
