"""What times that were taken over the web can and cannot say."""

# What screens and keyboards of that kind were found to add: Anwyl-Irvine et al. (2021).
HARDWARE_LATENCY = (
    "The time that screen, keyboard and mouse take is not known: absolute times carry an unknown "
    "10 to 40 ms on top, about the same for all trials of one rater; compare times within raters."
)
