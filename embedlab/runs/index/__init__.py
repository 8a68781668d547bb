"""An index of runs and jobs, so that thousands are searched as fast as ten."""
