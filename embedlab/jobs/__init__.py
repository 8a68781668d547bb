"""Starts, queues, follows and stops workers; questions to the resident process."""
