"""A rater's way: holding a batch, answering its screens, leaving or being excluded."""
