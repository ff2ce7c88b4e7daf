"""One new instrument, design, format, panel, metric and check each: see test_extending."""
