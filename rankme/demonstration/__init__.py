"""Our own material: what a new installation shows and what tests rate."""
