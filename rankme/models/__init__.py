"""The record: what is judged, by whom, and what was said."""

from .api_keys import ApiKey
from .assignments import (
    Assignment,
    Batch,
    Invitation,
    Participant,
    Plan,
    PlanCoverage,
    Slot,
    Trial,
    TrialOutput,
)
from .campaigns import (
    AuditEvent,
    Campaign,
    CampaignLaunch,
    Criterion,
    MemberInvitation,
    Membership,
    PlanExtension,
    RequestKey,
    Role,
)
from .checks import CheckTrial, DamagedText, QuizAttempt, RuleDecision
from .complaints import Complaint
from .deletions import CampaignDeletion
from .judgements import (
    Judgement,
    QuarantinedPayload,
    RaterExclusion,
    ScreenTrace,
    Submission,
    SubmissionWords,
)
from .limits import RateBucket
from .looks import Look, LookRequest
from .materials import Item, MaterialImport, MediaFile, Output, System
from .metrics import Metric, MetricComputation, MetricPart
from .operation import Heartbeat, SiteProcess
from .panels import (
    PanelAccount,
    PanelCredit,
    PanelEvent,
    PanelKeys,
    PanelPayment,
    PanelStudy,
    PanelSubmission,
)
from .record import Record
from .runs import AnalysisRun, Report, ReportFiles, RunChunk, RunPart, RunScores
from .settlements import Settlement
from .shared_tasks import (
    Dispute,
    SharedTask,
    SystemCode,
    SystemUpload,
    TaskEvent,
    TaskHost,
    Team,
    TeamInvitation,
    TeamMember,
    TeamSystem,
    Track,
    UploadCheck,
    UploadTicket,
)
from .versions import CampaignVersion
from .webhooks import Webhook, WebhookDelivery, WebhookEvent

__all__ = [
    "AnalysisRun",
    "ApiKey",
    "Assignment",
    "AuditEvent",
    "Batch",
    "Campaign",
    "CampaignDeletion",
    "CampaignLaunch",
    "CampaignVersion",
    "CheckTrial",
    "Complaint",
    "Criterion",
    "DamagedText",
    "Dispute",
    "Heartbeat",
    "Invitation",
    "Item",
    "Judgement",
    "Look",
    "LookRequest",
    "MaterialImport",
    "MediaFile",
    "MemberInvitation",
    "Membership",
    "Metric",
    "MetricComputation",
    "MetricPart",
    "Output",
    "PanelAccount",
    "PanelCredit",
    "PanelEvent",
    "PanelKeys",
    "PanelPayment",
    "PanelStudy",
    "PanelSubmission",
    "Participant",
    "Plan",
    "PlanCoverage",
    "PlanExtension",
    "QuarantinedPayload",
    "QuizAttempt",
    "RateBucket",
    "RaterExclusion",
    "Record",
    "Report",
    "ReportFiles",
    "RequestKey",
    "Role",
    "RuleDecision",
    "RunChunk",
    "RunPart",
    "RunScores",
    "ScreenTrace",
    "Settlement",
    "SharedTask",
    "SiteProcess",
    "Slot",
    "Submission",
    "SubmissionWords",
    "System",
    "SystemCode",
    "SystemUpload",
    "TaskEvent",
    "TaskHost",
    "Team",
    "TeamInvitation",
    "TeamMember",
    "TeamSystem",
    "Track",
    "Trial",
    "TrialOutput",
    "UploadCheck",
    "UploadTicket",
    "Webhook",
    "WebhookDelivery",
    "WebhookEvent",
]
