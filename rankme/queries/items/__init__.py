"""What pages and the API show of items: their list, and what raters said about each."""
