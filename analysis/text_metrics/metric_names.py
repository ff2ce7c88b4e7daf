"""The names of metrics as papers write them."""

SHOWN = {
    "bleu": "BLEU",
    "chrf": "chrF",
    "chrf++": "chrF++",
    "ter": "TER",
    "nist": "NIST",
    "rouge-l": "ROUGE-L",
    "cider": "CIDEr",
    "accuracy": "Accuracy",
    "edit-distance": "Edit distance",
    "dice": "Dice",
    "masi": "MASI",
    "uniqueness": "Uniqueness",
    "minimality": "Minimality",
    "ser": "SER",
    "copied": "Copied",
    "lengths": "Lengths",
    "distinct": "Distinct",
    "msttr": "MSTTR",
    "comet": "COMET",
    "bertscore": "BERTScore",
    "bleurt": "BLEURT",
    "meteor": "METEOR",
}


def shown_name(name: str) -> str:
    """Spell a metric's name as papers do; any other name stays as it is.

    Parameters
    ----------
    name : as files have it
    """
    return SHOWN.get(name, name)
