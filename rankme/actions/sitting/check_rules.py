"""The campaign's rules about raters, decided as answers come: each rule once for each rater."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext_noop

from analysis.checks.rules import caught_by
from rankme.actions.audit import note
from rankme.models import Participant, RuleDecision
from rankme.protocols.checks import RULES_AT_WORK, Action, Rules
from rankme.queries.check_answers import Measured, measures_by_rater
from rankme.queries.definitions import frozen_definition

from .exclusions import exclude_by_rule

VERBS = {
    "flag": gettext_noop("rater marked by a rule"),
    "gate": gettext_noop("rater turned away by a rule"),
}


def rules_of(participant: Participant) -> Rules:
    return frozen_definition(participant.campaign).definition.rules


def has_rules(participant: Participant) -> bool:
    """Whether some rule is decided while raters work."""
    rules = rules_of(participant)
    return bool(rules.exclude_if or rules.flag_if)


def decide(participant: Participant, *, is_final: bool) -> bool:
    """Decide the rules about the work; return whether one now excludes the rater.

    Parameters
    ----------
    is_final : the rater has answered all of a batch; before that, only what cannot change decides
    """
    rules = rules_of(participant)
    if not is_final and not any(map(rules.decide_early, RULES_AT_WORK)):
        return False
    mine = [participant.pk]
    measures = measures_by_rater(participant.campaign, mine, only_growing=not is_final)[mine[0]]
    _decide(participant, "flag", measures, is_final=is_final)
    return _decide(participant, "exclude", measures, is_final=is_final)


def decide_gate(participant: Participant) -> bool:
    """Decide the rule about the time before the work; return whether the rater is turned away."""
    if not rules_of(participant).gate_if:
        return False
    measures = measures_by_rater(participant.campaign, [participant.pk])[participant.pk]
    return _decide(participant, "gate", measures, is_final=True)


@transaction.atomic
def _decide(
    participant: Participant, action: Action, measures: Measured, *, is_final: bool
) -> bool:
    """Whether the rule has caught the rater now, for the first time."""
    rules = rules_of(participant)
    rule = rules.rule(action)
    parts = caught_by(rule, measures, is_final=is_final) if rule else ()
    if not parts:
        return False
    asked = {comparison.measure for comparison in rule.comparisons()} if rule else set()
    _decision, is_new = RuleDecision.objects.get_or_create(
        participant=participant,
        action=action,
        defaults={
            "campaign": participant.campaign,
            "rule": getattr(rules, f"{action}_if"),
            "parts": list(parts),
            "measures": {name: measures.get(name) for name in sorted(asked)},
        },
    )
    if is_new and action == "exclude":
        exclude_by_rule(participant, list(parts))
    elif is_new:
        detail = {"rater": participant.label, "rule": list(parts)}
        note(participant.campaign, None, VERBS[action], **detail)
    return is_new
