"""Rankings of systems from comparisons: clusters, abilities, and the power to find them."""
