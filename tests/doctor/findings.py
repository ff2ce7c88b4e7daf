"""What an examination found, for comparison."""

from rankme.doctor.examination import Examination


def seen(found: Examination) -> list[tuple[str, int, float, str, str]]:
    (criterion,) = found.criteria
    return [
        (each.system, each.judgements, round(each.mean, 9), each.published, each.strict)
        for each in criterion.systems
    ]
