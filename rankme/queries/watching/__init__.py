"""Watch raters: alarms, the answers of one rater, and the effect of leaving one out."""
