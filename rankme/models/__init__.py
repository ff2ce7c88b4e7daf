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
    WordsEpoch,
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
