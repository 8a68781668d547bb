"""All runs: their table, and what sets the chosen ones apart."""
