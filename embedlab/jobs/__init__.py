"""Starts, queues, follows and stops workers, and what they are asked; questions to the resident process."""
