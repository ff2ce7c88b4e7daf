"""Plans of campaigns: what a number of raters, items and judgements finds, and what it costs."""
