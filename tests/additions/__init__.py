"""One new instrument, design and format each, as somebody would add them; see test_extending."""
