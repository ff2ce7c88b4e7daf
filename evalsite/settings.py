"""Settings of the site: everything that differs between machines comes from the environment."""

from pathlib import Path
from typing import Any

from celery.schedules import crontab
from csp.constants import NONCE, NONE, SELF

from analysis.plugins import plugin_folders
from evalsite import embedded, environment, safety
from evalsite.file_headers import set_file_headers
from evalsite.operation.error_tracker import report_errors

DATA_FOLDER = embedded.data_folder()
SERVERS = embedded.Servers(DATA_FOLDER)

# Production unless somebody says otherwise: manage.py, `make run` and the tests say "local".
ENVIRONMENT = environment.choice("ENVIRONMENT", ("production", "local"), "production")
PRODUCTION = ENVIRONMENT == "production"

# --- Secrets and names ---------------------------------------------------------------------

SECRET_KEY = environment.text("SECRET_KEY")
SECRET_KEY_FALLBACKS = environment.listed("SECRET_KEY_FALLBACKS")
DEBUG = environment.flag("DEBUG", default=False)
ALLOWED_HOSTS = environment.listed(
    "ALLOWED_HOSTS", () if PRODUCTION else ("localhost", "127.0.0.1", "[::1]")
)
CSRF_TRUSTED_ORIGINS = environment.listed("CSRF_TRUSTED_ORIGINS")
ADMINS = [(address, address) for address in environment.listed("ADMINS")]
# Where mail to them is handed in; without a host none is sent.
EMAIL_HOST = environment.text("EMAIL_HOST")
EMAIL_PORT = environment.whole_number("EMAIL_PORT", 587)
EMAIL_HOST_USER = environment.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = environment.text("EMAIL_HOST_PASSWORD")
EMAIL_USE_SSL = EMAIL_PORT == 465  # TLS from the first byte (RFC 8314)
EMAIL_USE_TLS = bool(EMAIL_HOST_USER) and not EMAIL_USE_SSL
EMAIL_TIMEOUT = 10
EMAIL_SUBJECT_PREFIX = ""
SERVER_EMAIL = DEFAULT_FROM_EMAIL = environment.text("SERVER_EMAIL", "rankme@localhost")
EMAIL_BACKEND = (
    "evalsite.operation.mail.EmailBackend"
    if EMAIL_HOST
    else "django.core.mail.backends.dummy.EmailBackend"
)
# Where errors are sent; the address of a project at Sentry or a server of its kind.
SENTRY_DSN = environment.text("SENTRY_DSN")
if SENTRY_DSN:
    report_errors(SENTRY_DSN, ENVIRONMENT)
# What a scrape of /metrics brings; without it nobody can ask.
METRICS_TOKEN = environment.text("METRICS_TOKEN")

# The site's public address: panels send raters there, and commands print it.
HERE = f"http://127.0.0.1:{environment.whole_number('PORT', 8000)}"
SITE_URL = environment.origin("SITE_URL", "" if PRODUCTION else HERE)
# The path before all of the site's addresses, where a proxy shares one host between several sites.
PATH_PREFIX = environment.path_prefix("PATH_PREFIX")
FORCE_SCRIPT_NAME = PATH_PREFIX or None

if PRODUCTION:
    safety.refuse_unsafe_settings(
        secret_key=SECRET_KEY,
        fallbacks=SECRET_KEY_FALLBACKS,
        debug=DEBUG,
        allowed_hosts=ALLOWED_HOSTS,
        site_url=SITE_URL,
        addresses={
            name: environment.text(name)
            for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL")
        },
    )
elif not SECRET_KEY:
    SECRET_KEY = safety.local_secret_key(embedded.make_data_folder(DATA_FOLDER))

# Tokens of panels are encrypted with the first key; the others still open what they encrypted.
PANEL_KEYS = environment.listed("PANEL_KEYS") or safety.local_panel_keys(SECRET_KEY, PRODUCTION)
# Whether webhooks may call addresses in the site's own network, and without encryption.
WEBHOOKS_TO_PRIVATE_ADDRESSES = environment.flag("WEBHOOKS_TO_PRIVATE_ADDRESSES", default=False)
# Where Prolific answers. Only a local site can name a practice panel instead.
PROLIFIC_API = environment.origin("PROLIFIC_API", safety.PROLIFIC_API)
safety.refuse_unsafe_panel(PANEL_KEYS, PROLIFIC_API, production=PRODUCTION)

# By panel: the secret from which it and this site compute the same code for finished work.
CODE_SECRETS = {"microworkers": environment.text("MICROWORKERS_SECRET")}
# By panel: hosts of its own to which raters return, besides those that everybody uses.
PANEL_HOSTS = {"sona": environment.listed("SONA_HOSTS")}

# --- Application ---------------------------------------------------------------------------

# The docs that the site shows as its help.
DOCS_FOLDER = embedded.FILES / "docs"

ROOT_URLCONF = "evalsite.urls"
WSGI_APPLICATION = "evalsite.wsgi.application"

INSTALLED_APPS = [
    "rankme",
    "evalsite",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.usersessions",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "rest_framework",
    "rest_framework.authtoken",  # its table has the keys of before 2.0
    "drf_spectacular",
    "csp",
]

REDIRECTS = "django.middleware.security.SecurityMiddleware"
# Static files get their headers from SecurityMiddleware and evalsite.file_headers alone.
MIDDLEWARE = [
    "evalsite.middleware.observe_requests",
    REDIRECTS,
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "evalsite.middleware.isolate",
    "evalsite.policy.PolicyMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "evalsite.bodies.refuse_large_bodies",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "evalsite.origin.refuse_other_sites",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "rankme.sign_in.sessions.end_old_sessions",
    "allauth.account.middleware.AccountMiddleware",
    "rankme.sign_in.required.require_second_factor",
    "evalsite.middleware.explain_wrong_methods",
    "evalsite.middleware.bound_calls_to_panels",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [embedded.FILES / "templates", *plugin_folders("templates")],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- Database ------------------------------------------------------------------------------

# The role of web server, worker and beat. It can add to the record, but not change it.
DATABASE_SITE = environment.database("DATABASE_URL", otherwise=SERVERS.postgresql.url)
# The owner of the tables, for `manage.py migrate` alone (evalsite/roles.py).
DATABASE_OWNER = (
    None
    if environment.text("DATABASE_URL") and not environment.text("DATABASE_OWNER_URL")
    else environment.database("DATABASE_OWNER_URL", otherwise=SERVERS.postgresql.owner_url)
)
safety.refuse_confused_roles(DATABASE_SITE, DATABASE_OWNER)
DATABASES = {
    "default": DATABASE_SITE
    | {
        "CONN_MAX_AGE": environment.whole_number("DATABASE_CONNECTION_SECONDS", 600),
        "CONN_HEALTH_CHECKS": True,
        # Half-open connections time out.
        "OPTIONS": DATABASE_SITE.get("OPTIONS", {})
        | {"connect_timeout": 5, "tcp_user_timeout": 10_000},
    }
}
# So do forgotten locks. Imports may take long, so only the web server sets a time limit for
# statements (evalsite/gunicorn.py).
DATABASE_LIMITS = {
    "statement_timeout": f"{environment.whole_number('STATEMENT_TIMEOUT_SECONDS', 0)}s",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "120s",
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Celery: carries jobs to workers; the jobs are rows ------------------------------------

CELERY_BROKER_URL = environment.broker_address(environment.text("REDIS_URL") or SERVERS.valkey.url)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A page does not wait for the broker: beat sends the job again.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_TIMEOUT = 1
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_connect_timeout": 1,
    "socket_timeout": 3,
    "socket_keepalive": True,
    # Once, over a new connection. A worker whose acknowledgement is lost would believe forever
    # that one of its processes is busy. A message that is sent twice does no harm.
    "retry_on_timeout": True,
    # A worker that waits for messages gets an answer every second. When there is none for so long
    # (and at most twice as long), it opens a new connection.
    "health_check_interval": 5,
    # Longer than almost every job. A longer one is sent twice, and its lease turns the second
    # message away. The jobs of a lost worker do not wait for this: beat sends them again.
    "visibility_timeout": 3600,
    "max_retries": 0,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.2,
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "rankme"
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
# A message is acknowledged when its job is over, and goes back when the process is lost.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
# A message waits in the queue for any free worker, not in one that is at work.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_DISABLE_PREFETCH = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Nobody gives workers commands, and they need not know of each other (`--without-gossip` and
# `--without-mingle`). Celery reads such messages without a time limit: a worker whose connection
# breaks at that moment halts.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_CONCURRENCY = environment.whole_number("WORKER_PROCESSES", 2)
# A worker with a free process that takes no message for so long ends, to be replaced. 0: never.
WORKER_DEAF_AFTER_SECONDS = environment.whole_number("WORKER_DEAF_AFTER_SECONDS", 15)
# A worker that is well touches it every second or two.
ALIVE_FILE = environment.text("ALIVE_FILE")
# Messages expire by the clock of the worker that reads them: one that is minutes ahead would
# discard what lives for seconds. Those that have waited cost nothing (rankme/worker/tasks.py).
CELERY_BEAT_SCHEDULE = {
    name: {"task": f"rankme.tasks.{task}", "schedule": schedule, "options": {"expires": 3600.0}}
    for name, task, schedule in (
        ("reconcile", "reconcile", 5.0),
        ("check the record", "check_record", crontab(hour="3", minute="17")),
        ("webhooks", "send_webhooks", 15.0),
        ("panels", "visit_panels", 60.0),
        ("deletions", "delete_campaigns", 60.0),
        ("pauses", "pause_campaigns", 60.0),
        ("reminders of raters", "remind_raters", 600.0),
        ("reminders", "remind_teams", 600.0),
        ("sweep", "sweep_leftovers", 3600.0),
    )
}
# Nothing that would have to be remembered between two starts.
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"

# --- Who may come in -----------------------------------------------------------------------

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [
    {"NAME": "rankme.actions.accounts.site_words.SiteWordsValidator"},
    {"NAME": "rankme.actions.accounts.breached_passwords.BreachedPasswordsValidator"},
]
# A sorted file with the SHA-1 of passwords from leaks; without it, 20,000 usual ones are refused.
BREACHED_PASSWORDS = environment.hash_list("BREACHED_PASSWORDS")
LOGIN_URL = LOGOUT_REDIRECT_URL = "account_login"
LOGIN_REDIRECT_URL = "rankme:welcome"

ACCOUNT_ADAPTER = "rankme.sign_in.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "change_password": "rankme.forms.account.ChangePasswordForm",
    "login": "rankme.forms.account.LoginForm",
    "reauthenticate": "rankme.forms.account.ReauthenticateForm",
    "reset_password": "rankme.forms.account.ResetPasswordForm",
    "reset_password_from_key": "rankme.forms.account.NewPasswordForm",
}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_EMAIL_VERIFICATION = "none"
# A mail tells people of new passwords and second factors, where the site can send one.
ACCOUNT_EMAIL_NOTIFICATIONS = bool(EMAIL_HOST)
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = EMAIL_SUBJECT_PREFIX
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if PRODUCTION else "http"
PASSWORD_RESET_TIMEOUT = 3600
# A browser keeps the cookie until SESSION_HOURS are over, also when it is closed.
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 600
# Its limits would count in each web process alone: rankme.actions.accounts limits guesses for all.
ACCOUNT_RATE_LIMITS = False
# Whether accounts need a second factor before they see anything but the way to get one.
SECOND_FACTOR_REQUIRED = environment.flag("SECOND_FACTOR_REQUIRED")
if SECOND_FACTOR_REQUIRED:
    safety.refuse_unkept_second_factors(PANEL_KEYS)
MFA_ADAPTER = "rankme.sign_in.adapter.SecondFactors"
MFA_FORMS = {
    "activate_totp": "rankme.forms.account.NewAppForm",
    "authenticate": "rankme.forms.account.CodeForm",
    "reauthenticate": "rankme.forms.account.CodeAgainForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_TOLERANCE = 1  # clocks of telephones may be half a minute off
MFA_RATE_LIMITS = False
# Mail addresses come from an operator, not from a form that anybody can fill in.
MFA_ALLOW_UNVERIFIED_EMAIL = True
# On this machine there is no https.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not PRODUCTION
# evalsite.origin has already put the client's address where there is no proxy's.
ALLAUTH_TRUSTED_PROXY_COUNT = 0

# An OpenID Connect provider at which people can sign in instead of with a password; or none.
SOCIALACCOUNT_PROVIDERS = environment.single_sign_on("OIDC", production=PRODUCTION)
SOCIALACCOUNT_ADAPTER = "rankme.sign_in.single_sign_on.Adapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False  # nobody gets an account by a mail address
SOCIALACCOUNT_REQUESTS_TIMEOUT = 5

# Whether people with a link that invites them to a campaign may make an account with it.
SIGN_UP_BY_INVITATION = environment.flag("SIGN_UP_BY_INVITATION")
# Active or not, a session ends so long after its log-in, and sooner if nobody uses it.
SESSION_COOKIE_AGE = environment.whole_number("SESSION_HOURS", 24) * 3600
SESSION_IDLE_SECONDS = environment.whole_number("SESSION_IDLE_MINUTES", 480) * 60
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = PRODUCTION
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = PATH_PREFIX or "/"
CSRF_FAILURE_VIEW = "evalsite.error_pages.forged"
if PRODUCTION:
    # A browser takes the names with "__Host-" only over https, for this host and for all of its
    # paths. Below a prefix the cookies are for that path alone, and only "__Secure-" allows it.
    BOUND = "__Secure" if PATH_PREFIX else "__Host"
    SESSION_COOKIE_NAME = f"{BOUND}-session"
    CSRF_COOKIE_NAME = f"{BOUND}-csrf"
    LANGUAGE_COOKIE_NAME = f"{BOUND}-language"

# --- Headers -------------------------------------------------------------------------------

SECURE_SSL_REDIRECT = PRODUCTION
# Django compares the whole path, without its first slash.
SECURE_REDIRECT_EXEMPT = [f"^{f'{PATH_PREFIX}/'[1:]}(healthz|readyz)/$"]
PROXIES = environment.networks("PROXIES")  # empty: anybody who reaches the web server
if environment.flag("BEHIND_TLS_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    MIDDLEWARE.insert(0, "evalsite.origin.believe_the_proxy")
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = environment.flag("HSTS_SUBDOMAINS")
if PRODUCTION:
    # Before the redirect to https, which a key must not be sent along with.
    MIDDLEWARE.insert(MIDDLEWARE.index(REDIRECTS), "evalsite.origin.refuse_plain_scripts")
SECURE_CONTENT_TYPE_NOSNIFF = True
# Not "no-referrer": with it browsers send "Origin: null" and no form passes the CSRF check.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        # A nonce is named only where a page has styles inside (rankme/templatetags/inside.py).
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "media-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
        "require-trusted-types-for": ["'script'"],
    },
}
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # only a domain's owner knows whether all of its subdomains use https
    "security.W021",  # the same for the browsers' preload list
]

# --- Languages and time --------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("cs", "Čeština"), ("ar", "العربية")]
# Campaigns may be in any language, and bring its texts themselves.
LANGUAGES_BIDI = [
    "ar", "arc", "ckb", "dv", "fa", "he", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi",
]  # fmt: skip
LOCALE_PATHS = [embedded.FILES / "locale"]
TIME_ZONE = environment.text("TIME_ZONE", "UTC")
USE_I18N = USE_TZ = True

# --- Files ---------------------------------------------------------------------------------

STATIC_URL = f"{PATH_PREFIX}/static/"
STATIC_ROOT = Path(environment.text("STATIC_FOLDER") or DATA_FOLDER / "static")
STATICFILES_DIRS = [embedded.FILES / "static", *plugin_folders("static")]
STORAGES = {
    "default": environment.storage("STORAGE"),
    # In an image root collects these files, and another account sends them.
    "staticfiles": {
        "BACKEND": "evalsite.storage.ModuleStaticFilesStorage",
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}
WHITENOISE_ADD_HEADERS_FUNCTION = set_file_headers
WHITENOISE_ALLOW_ALL_ORIGINS = False  # no other site uses these files
MEDIA_ROOT = DATA_FOLDER / "uploads"
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
# Forms, documents and answers. Addresses that accept files have a separate limit.
LARGEST_BODY = DATA_UPLOAD_MAX_MEMORY_SIZE = 2**20
# What rankme.importing reads, and the form around it.
LARGEST_UPLOAD = 2 * 2**30 + 2**20

# --- API -----------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rankme.api.authentication.HashedTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["rankme.api.authentication.AccountThrottle"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "rankme.api.errors.handle",
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Human evaluation of generated text",
    "DESCRIPTION": "Campaigns, material, judgements, analyses and reports, for scripts.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVERS": [{"url": PATH_PREFIX or "/"}],
    "ENUM_NAME_OVERRIDES": {
        "CampaignState": "rankme.models.campaigns.Campaign.State",
        "JobState": "rankme.models.jobs.Job.State",
        "ImportKind": "rankme.models.materials.MaterialImport.Kind",
        "MetricKind": "rankme.models.metrics.Metric.Kind",
        "MemberRole": "rankme.models.campaigns.MEMBER_CHOICES",
        "StudyState": "rankme.models.panels.PanelStudy.State",
        "PaymentState": "rankme.models.panels.PanelPayment.State",
        "PaymentKind": "rankme.models.panels.PanelPayment.Kind",
        "TeamState": "rankme.models.shared_tasks.Team.State",
        "UploadRole": "rankme.models.shared_tasks.SystemUpload.Role",
    },
    "POSTPROCESSING_HOOKS": [
        "rankme.api.reference.add_errors",
        "drf_spectacular.hooks.postprocess_schema_enums",
    ],
}

# --- Log -----------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "without_participants": {"()": "evalsite.privacy.WithoutParticipants"},
        "with_request": {"()": "evalsite.privacy.WithRequest"},
    },
    "formatters": {
        "line": {
            "format": "{asctime} {levelname} {host} {request_number} {name}: {message}",
            "datefmt": "%Y-%m-%dT%H:%M:%S%z",
            "style": "{",
        }
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["without_participants", "with_request"],
        },
        "mail": {
            "class": "evalsite.privacy.MailToAdmins",
            "formatter": "line",
            "filters": ["without_participants", "with_request"],
        },
        # Sends nothing without an address.
        "sentry": {
            "class": "sentry_sdk.integrations.logging.EventHandler",
            "level": "ERROR",
            "filters": ["without_participants"],
        },
    },
    "root": {
        "handlers": ["console", "mail", "sentry"],
        "level": environment.text("LOG_LEVEL", "INFO"),
    },
    "loggers": {
        # Django's own handlers would write past the filter, and mail what was sent.
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.server": {"handlers": [], "level": "INFO", "propagate": True},
        # It logs every table of every font that it embeds in a PDF.
        "fontTools": {"level": "WARNING"},
        # It logs every address that it calls.
        "httpx": {"level": "WARNING"},
        # It warns at each request that waits: of 2,000 raters at once, a megabyte.
        "waitress.queue": {"level": "ERROR"},
    },
}
