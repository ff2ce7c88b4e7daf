"""Forms of the pages: what an organiser or a rater may send, checked before an action sees it."""
