"""The request of each task: a frozen model, built by a page or a command, read by a worker."""
