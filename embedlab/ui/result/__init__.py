"""What a run found: on Home and Train."""
