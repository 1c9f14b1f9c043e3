"""Running queries: where their rows come from, how they progress, where results go."""
