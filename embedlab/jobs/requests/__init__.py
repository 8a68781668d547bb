"""What a job is asked: a frozen model a task, built by a page or a command, read by a worker."""
