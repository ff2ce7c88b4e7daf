"""Statistics of checks on raters: tests of their answers, and what a rule does to whom."""
