"""The campaign files that come with the site."""
