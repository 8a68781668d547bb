"""The worker of a Find whose trainings are counted, not timed: twelve on a token layer, whatever the clock says."""

import os
import sys

from embedlab.finds import search
from embedlab.tasks.find.workshop import CorpusWorkshop
from embedlab.worker.work import main

search.MOST = int(os.environ.get("EMBEDLAB_COUNTED_TRAININGS", "12"))
CorpusWorkshop.encoders = ["words"]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
