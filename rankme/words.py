"""English texts of modules that know no Django, written down once more for the translators.

`gettext` finds a translation by the English text, but `makemessages` finds that text only where it
is marked. `tests/test_translations.py` says which text is missing here, or no longer used.
"""

from django.utils.translation import gettext_noop as _

# What the campaign form derives from the definition, the instruments and the designs.
DEFINITION = (
    _(
        "A click on one of the item's pictures; the number is 1 for the wrong one, 0 for "
        "the target."
    ),
    _("A count: a whole number from 0."),
    _("A factor of the items to balance across raters"),
    _("A fixed number of points between two ends."),
    _("A line between two ends without numbers (SR'11, direct assessment)."),
    _("A rater cannot give the same text twice"),
    _("Analysis"),
    _("Any of several, or explicitly none; its number is the sum of 2^place of what was ticked."),
    _("Balanced random selection"),
    _("Batches per rater"),
    _("Best–worst scaling (Louviere & Woodworth 1990): 1 for the best, −1 for the worst, else 0."),
    _("Breaks"),
    _("Choices"),
    _("Chunk size"),
    _("Completion code"),
    _("Context"),
    _("Currency"),
    _("Description"),
    _("Design"),
    _("Duplicate items"),
    _("Every attribute is mentioned, missing or wrong; facts beyond them are counted."),
    _("Every output"),
    _("Exactly one of several; its number is the choice's place in the list, from 0."),
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
    _("Free text."),
    _("Groups"),
    _("Initial position of the handle; empty: no handle until the rater clicks"),
    _("Input"),
    _("Instructions"),
    _("Instrument"),
    _("Items without outputs"),
    _("Kind"),
    _("Label of the box for none of these"),
    _("Labels"),
    _("Magnitude estimation by rank (Novikova, Dušek & Rieser 2018): any positive number."),
    _("Maximum"),
    _("Maximum number of screens per batch. 0: all items."),
    _("Maximum number of screens per batch. 0: all, so that each rater judges everything."),
    _("Milliseconds from painted onset to the response; `null` when the phase timed out."),
    _("Minimum"),
    _("Minimum number of characters"),
    _("Minimum number of characters, as a multiple of the length of the input"),
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
    _("Two outputs: 1 for the one preferred, 0 for the other, 0.5 for both when there is a tie."),
    _("a fixed text"),
    _("empty: every character is allowed"),
    _("the item's context with the output highlighted in its place"),
    _("the item's context with the reference highlighted in its place"),
    _("the item's input: a meaning representation, a text or tables"),
    _("the item's pictures in their places"),
    _("the item's reference text"),
    _("the outputs, each with its own questions"),
    _("the standard with its score"),
)

# What the history says (`rankme.actions.audit`).
VERBS = (
    _("account made"),
    _("analysis cancelled"),
    _("analysis requested"),
    _("closed"),
    _("created"),
    _("definition changed"),
    _("draft deleted"),
    _("judgements imported"),
    _("launched"),
    _("lease freed"),
    _("material taken"),
    _("member invited"),
    _("member removed"),
    _("password reset"),
    _("paused"),
    _("rater excluded"),
    _("rater's access ended"),
    _("rater readmitted"),
    _("record damaged"),
    _("record intact again"),
    _("raters invited"),
    _("report published"),
    _("report withdrawn"),
    _("resumed"),
    _("token given"),
    _("token revoked"),
    _("logged in"),
    _("login refused"),
    _("upload begun"),
    _("upload dropped"),
)

# What a person should look at in a submission (`rankme.actions.judgements`).
FLAGS = (
    _("fast"),
    _("impossible time"),
    _("no time"),
    _("page was hidden"),
    _("anticipation"),
    _("second browser"),
)
