"""What stands around every page, and what every page is made with: navigation, state, jobs, texts, numbers."""
