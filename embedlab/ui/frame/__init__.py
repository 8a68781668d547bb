"""What every page shares: the frame around it, navigation, state, jobs, texts, charts."""
