"""Pages about paid raters: accounts, studies, decisions and money."""
