"""What every page shares: navigation, state, jobs, texts."""
