"""The error that every part of this package raises."""


class EmbeddedServerError(RuntimeError):
    """An embedded server could not be found, started or stopped; the text says what to do."""
