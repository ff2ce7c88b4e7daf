"""English texts of modules that know no Django, written down once more for the translators.

`gettext` finds a translation by the English text, but `makemessages` finds that text only where it
is marked. `tests/test_translations.py` says which text is missing here, or no longer used.
"""

from django.utils.translation import gettext_noop as _

# What the campaign form derives from the definition, the instruments and the designs.
DEFINITION = (
    _("A factor of the items to balance across raters"),
    _("Analysis"),
    _("Balanced random selection"),
    _("Batches per rater"),
    _("Breaks"),
    _("Choices"),
    _("Chunk size"),
    _("Completion code"),
    _("Context"),
    _("Currency"),
    _("Description"),
    _("Design"),
    _("Duplicate items"),
    _("Every output"),
    _("Faster screens are flagged but never refused"),
    _("Feedback"),
    _("Fill up the last square of each group with duplicate items."),
    _("For a batch finished after it went to somebody else; empty: the usual code"),
    _("For a batch finished late; empty: pay_per_batch"),
    _("For a batch given back after some screens"),
    _(
        "For a batch given back after some screens; empty: one per rater, or none where "
        "the panel needs a code of its own"
    ),
    _("For the block `input`: a meaning representation as icons on a map"),
    _("For the block `input`: attributes in random order, which differs by rater"),
    _("For the block `text`: its text"),
    _("Groups"),
    _("Input"),
    _("Instructions"),
    _("Instrument"),
    _("Items without outputs"),
    _("Kind"),
    _("Labels"),
    _("Maximum"),
    _("Maximum number of screens per batch. 0: all items."),
    _("Maximum number of screens per batch. 0: all, so that each rater judges everything."),
    _("Minimum"),
    _("Most added"),
    _("Number of consecutive items that belong to one text and stay in one group."),
    _("Options"),
    _("Outputs"),
    _("Outputs shown on one screen."),
    _("Outputs shown on one screen. 0: all outputs of the item."),
    _(
        "Parts into which the items are divided, each with its own raters. Each rater "
        "judges the items of one part. 2 gives half-sets."
    ),
    _("Points"),
    _("Question"),
    _("Raters"),
    _("Raters can continue only after least_seconds_per_screen"),
    _("Reference"),
    _("Repeated Latin squares"),
    _("Screens per item"),
    _("Screens per item, each with other systems where possible."),
    _("Seed"),
    _("Standard"),
    _("Text"),
    _("Texts"),
    _("Timed"),
    _("Title"),
    _(
        "Total number of raters, divided among the groups. 0: one per system in each "
        "group, so that every output is judged once."
    ),
    _("a fixed text"),
    _("the item's context with the output highlighted in its place"),
    _("the item's context with the reference highlighted in its place"),
    _("the item's input: a meaning representation, a text or tables"),
    _("the item's pictures in their places"),
    _("the item's reference text"),
    _("the outputs, each with its own questions"),
    _("the standard with its score"),
)
