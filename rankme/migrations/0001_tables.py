"""The tables of the record, as models declare them."""

import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import rankme.models.campaigns
import rankme.models.runs
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PanelKeys',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(max_length=200, unique=True)),
                ('document', models.JSONField()),
                ('fetched_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'panel keys',
            },
        ),
        migrations.CreateModel(
            name='RateBucket',
            fields=[
                ('mark', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('left', models.FloatField()),
                ('filled_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name='Campaign',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(default=rankme.models.campaigns.new_code, editable=False, max_length=24, unique=True)),
                ('title', models.CharField(max_length=200)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('running', 'Running'), ('paused', 'Paused'), ('closed', 'Closed'), ('published', 'Published')], default='draft', max_length=10)),
                ('definition', models.JSONField()),
                ('version', models.PositiveSmallIntegerField(db_default=0, default=0, editable=False)),
                ('seed', models.BigIntegerField()),
                ('is_archive', models.BooleanField(default=False, help_text='Judgements were collected elsewhere and imported.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('refusals', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('launched_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='campaigns', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'running', 'paused', 'closed', 'published'])), name='campaign_state_is_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('launched_at', None), ('state', 'draft')), models.Q(models.Q(('state', 'draft'), _negated=True), ('launched_at__isnull', False)), _connector='OR'), name='only_a_draft_was_never_launched'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='rankme.campaign')),
            ],
            options={
                'ordering': ['campaign', 'number'],
                'constraints': [
                    models.UniqueConstraint(fields=('campaign', 'number'), name='batch_number_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verb', models.CharField(max_length=40)),
                ('detail', models.JSONField(default=dict)),
                ('happened_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('number', models.PositiveIntegerField(default=0, editable=False)),
                ('chain_sha256', models.CharField(default='', editable=False, max_length=64)),
                ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='audit_events', to='rankme.campaign')),
            ],
            options={
                'ordering': ['-happened_at', '-id'],
                'constraints': [
                    models.UniqueConstraint(fields=('campaign', 'number'), name='audit_events_are_numbered', nulls_distinct=False),
                ],
            },
        ),
        migrations.CreateModel(
            name='AnalysisRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('working', 'Working'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10)),
                ('progress', models.FloatField(default=0.0, help_text='Share done, 0 to 1')),
                ('step', models.CharField(blank=True, help_text='What is being done now', max_length=200)),
                ('error', models.TextField(blank=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('claimed_by', models.CharField(blank=True, max_length=200)),
                ('requested_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('heartbeat_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('options', models.JSONField()),
                ('seed', models.BigIntegerField()),
                ('table_csv_gz', models.BinaryField(blank=True, null=True)),
                ('data_sha256', models.CharField(blank=True, max_length=64)),
                ('judgements', models.PositiveIntegerField(blank=True, null=True)),
                ('timed_out', models.JSONField(blank=True, default=dict, help_text='by criterion, answers that the table leaves out')),
                ('declined', models.JSONField(blank=True, db_default={}, default=dict, help_text='by criterion, counts of raters who could not judge')),
                ('anchor', models.JSONField(blank=True, help_text='how long the hash chains were, and their last hashes', null=True)),
                ('result', models.JSONField(blank=True, null=True)),
                ('signature', models.TextField(blank=True)),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='analysis_runs', to='rankme.campaign')),
            ],
            options={
                'ordering': ['-requested_at', '-id'],
                'abstract': False,
                'indexes': [
                    models.Index(condition=models.Q(('state__in', ['queued', 'working'])), fields=['requested_at'], name='analysisrun_under_way'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'done'), _negated=True), models.Q(('result__isnull', False), models.Q(('data_sha256', ''), _negated=True)), _connector='OR'), name='a_run_is_done_with_its_result'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CampaignLaunch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('working', 'Working'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10)),
                ('progress', models.FloatField(default=0.0, help_text='Share done, 0 to 1')),
                ('step', models.CharField(blank=True, help_text='What is being done now', max_length=200)),
                ('error', models.TextField(blank=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('claimed_by', models.CharField(blank=True, max_length=200)),
                ('requested_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('heartbeat_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='launches', to='rankme.campaign')),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-requested_at', '-id'],
                'abstract': False,
                'indexes': [
                    models.Index(condition=models.Q(('state__in', ['queued', 'working'])), fields=['requested_at'], name='campaignlaunch_under_way'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state__in', ['queued', 'working'])), fields=('campaign',), name='one_launch_at_a_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CampaignVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('change', models.CharField(choices=[('launch', 'Launched'), ('definition', 'Definition changed'), ('extension', 'Plan extended'), ('reopening', 'Opened again')], max_length=10)),
                ('definition', models.JSONField()),
                ('definition_sha256', models.CharField(max_length=64)),
                ('items', models.PositiveIntegerField()),
                ('systems', models.PositiveIntegerField()),
                ('extension', models.JSONField(blank=True, default=dict)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='rankme.campaign')),
            ],
            options={
                'ordering': ['campaign', 'number'],
                'constraints': [
                    models.UniqueConstraint(fields=('campaign', 'number'), name='version_number_once'),
                    models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='versions_begin_at_one'),
                    models.CheckConstraint(condition=models.Q(models.Q(('change', 'launch'), ('number', 1)), models.Q(('number__gt', 1), models.Q(('change', 'launch'), _negated=True)), _connector='OR'), name='the_first_version_is_the_launch'),
                    models.CheckConstraint(condition=models.Q(('change', 'launch'), models.Q(('reason', ''), _negated=True), _connector='OR'), name='a_change_has_a_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Criterion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('position', models.PositiveSmallIntegerField()),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='criteria', to='rankme.campaign')),
            ],
            options={
                'ordering': ['campaign', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('campaign', 'name'), name='criterion_name_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(max_length=64, unique=True)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='rankme.campaign')),
            ],
        ),
        migrations.CreateModel(
            name='MaterialImport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('working', 'Working'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10)),
                ('progress', models.FloatField(default=0.0, help_text='Share done, 0 to 1')),
                ('step', models.CharField(blank=True, help_text='What is being done now', max_length=200)),
                ('error', models.TextField(blank=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('claimed_by', models.CharField(blank=True, max_length=200)),
                ('requested_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('heartbeat_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('kind', models.CharField(choices=[('outputs', 'System outputs'), ('judgements', 'Judgements collected elsewhere'), ('scores', 'Scores of metrics')], default='outputs', max_length=12)),
                ('phase', models.CharField(choices=[('check', 'Checking'), ('columns', 'Waiting for you to say what the columns are'), ('previewed', 'Waiting for your decision'), ('take', 'Importing'), ('taken', 'Imported'), ('dropped', 'Discarded')], default='check', max_length=10)),
                ('files', models.JSONField(default=dict)),
                ('labels', models.JSONField(default=dict)),
                ('format', models.CharField(blank=True, max_length=20)),
                ('options', models.JSONField(blank=True, default=dict)),
                ('problems', models.JSONField(blank=True, default=list)),
                ('preview', models.JSONField(blank=True, default=dict)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='material_imports', to='rankme.campaign')),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-requested_at'],
                'abstract': False,
                'indexes': [
                    models.Index(condition=models.Q(('state__in', ['queued', 'working'])), fields=['requested_at'], name='materialimport_under_way'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state__in', ['queued', 'working'])), fields=('campaign',), name='one_import_at_a_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='MediaFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40, unique=True)),
                ('stored', models.CharField(editable=False, max_length=200)),
                ('path', models.CharField(max_length=300)),
                ('kind', models.CharField(choices=[('picture', 'picture'), ('sound', 'sound'), ('film', 'film')], max_length=8)),
                ('media_type', models.CharField(max_length=20)),
                ('size', models.PositiveBigIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('seconds', models.FloatField(blank=True, null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='media_files', to='rankme.campaign')),
            ],
            options={
                'ordering': ['campaign', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=2000)),
                ('position', models.PositiveIntegerField()),
                ('input', models.TextField(blank=True)),
                ('reference', models.TextField(blank=True)),
                ('context', models.TextField(blank=True)),
                ('factors', models.JSONField(blank=True, default=dict)),
                ('alt', models.TextField(blank=True, db_default='', default='')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='rankme.campaign')),
                ('media', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='rankme.mediafile')),
            ],
            options={
                'ordering': ['campaign', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('campaign', 'key'), name='item_key_once'),
                    models.UniqueConstraint(fields=('campaign', 'position'), name='item_position_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('username', models.CharField(max_length=150)),
                ('added_at', models.DateTimeField(auto_now_add=True)),
                ('opened_at', models.DateTimeField(null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='rankme.campaign')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('campaign', 'user'), name='one_membership_per_account'),
                    models.UniqueConstraint(condition=models.Q(('user', None)), fields=('campaign', 'username'), name='one_open_invitation_per_name'),
                    models.CheckConstraint(condition=models.Q(('opened_at', None), ('user__isnull', False), _connector='OR'), name='only_an_account_opens_a_campaign'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Metric',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('kind', models.CharField(choices=[('scores', 'Scores'), ('verdicts', 'Pairwise verdicts')], default='scores', max_length=10)),
                ('source', models.CharField(choices=[('computed', 'Computed here'), ('uploaded', 'Uploaded')], max_length=10)),
                ('method', models.TextField(blank=True, help_text='What exactly was computed, or the file')),
                ('lower_is_better', models.BooleanField(default=False)),
                ('is_judge', models.BooleanField(default=False, help_text="A judge's scores, on the scale of the raters")),
                ('own_systems', models.JSONField(blank=True, default=list, help_text="Systems that the judge's own model wrote")),
                ('content_csv_gz', models.BinaryField()),
                ('systems', models.PositiveIntegerField(help_text='How many systems have a score')),
                ('outputs', models.PositiveIntegerField(help_text='How many outputs have a score, or verdicts')),
                ('stored_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='metrics', to='rankme.campaign')),
                ('stored_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['campaign', 'id'],
                'constraints': [
                    models.UniqueConstraint(fields=('campaign', 'name'), name='metric_name_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='MetricComputation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('working', 'Working'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10)),
                ('progress', models.FloatField(default=0.0, help_text='Share done, 0 to 1')),
                ('step', models.CharField(blank=True, help_text='What is being done now', max_length=200)),
                ('error', models.TextField(blank=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('claimed_by', models.CharField(blank=True, max_length=200)),
                ('requested_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('heartbeat_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('metrics', models.JSONField(default=list)),
                ('lowercase', models.BooleanField(default=False)),
                ('material_sha256', models.CharField(blank=True, default='', max_length=64)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='metric_computations', to='rankme.campaign')),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-requested_at', '-id'],
                'abstract': False,
                'indexes': [
                    models.Index(condition=models.Q(('state__in', ['queued', 'working'])), fields=['requested_at'], name='metriccomputation_under_way'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state__in', ['queued', 'working'])), fields=('campaign',), name='one_metric_computation_at_a_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='MetricPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('metric', models.CharField(max_length=40)),
                ('number', models.PositiveSmallIntegerField()),
                ('systems', models.JSONField()),
                ('seconds', models.FloatField(help_text='Expected, by a sample that was computed before')),
                ('content_gz', models.BinaryField(blank=True, help_text='The results as JSON', null=True)),
                ('computation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='rankme.metriccomputation')),
            ],
            options={
                'ordering': ['computation', 'id'],
                'constraints': [
                    models.UniqueConstraint(fields=('computation', 'metric', 'number'), name='one_row_per_metric_part'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Output',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(blank=True)),
                ('marks', models.JSONField(blank=True, null=True)),
                ('alt', models.TextField(blank=True, db_default='', default='')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='outputs', to='rankme.item')),
                ('media', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='outputs', to='rankme.mediafile')),
            ],
        ),
        migrations.CreateModel(
            name='DamagedText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('check_name', models.CharField(max_length=60)),
                ('text', models.TextField()),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='damaged_texts', to='rankme.campaign')),
                ('output', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='rankme.output')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('campaign', 'check_name', 'output'), name='one_damaged_text_per_output'),
                    models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_damaged_text_is_not_empty'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelAccount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('panel', models.CharField(default='prolific', max_length=20)),
                ('workspace', models.CharField(max_length=64)),
                ('project', models.CharField(blank=True, db_default='', max_length=64)),
                ('currency', models.CharField(max_length=3)),
                ('code', models.CharField(default=rankme.models.campaigns.new_code, editable=False, max_length=24, unique=True)),
                ('token_sealed', models.TextField()),
                ('hook_secret_sealed', models.TextField(blank=True)),
                ('hooked_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='panel_accounts', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [
                    models.UniqueConstraint(fields=('owner', 'name'), name='one_panel_account_per_name'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event_id', models.CharField(max_length=64)),
                ('event_type', models.CharField(max_length=60)),
                ('resource', models.CharField(max_length=64)),
                ('received_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='rankme.panelaccount')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('done_at', None)), fields=['received_at'], name='events_to_be_looked_at'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('account', 'event_id'), name='an_event_is_received_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelStudy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=rankme.models.campaigns.new_code, editable=False, max_length=24, unique=True)),
                ('external_id', models.CharField(blank=True, max_length=64)),
                ('state', models.CharField(choices=[('NEW', 'Being created'), ('UNPUBLISHED', 'Draft'), ('SCHEDULED', 'Scheduled'), ('PUBLISHING', 'Being published'), ('PROCESSING', 'Being processed'), ('ACTIVE', 'Active'), ('PAUSED', 'Paused'), ('AWAITING REVIEW', 'Waiting for review'), ('COMPLETED', 'Finished')], default='NEW', max_length=20)),
                ('name', models.CharField(max_length=120)),
                ('description', models.TextField()),
                ('places', models.PositiveIntegerField()),
                ('reward', models.PositiveIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('minutes', models.PositiveIntegerField()),
                ('longest_minutes', models.PositiveIntegerField()),
                ('devices', models.JSONField(default=list)),
                ('filters', models.JSONField(default=list)),
                ('codes', models.JSONField(default=dict)),
                ('is_secure', models.BooleanField(default=False)),
                ('untrusted_entries', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('approval', models.CharField(choices=[('after_checks', 'Everyone who finished and is not excluded'), ('unmarked', 'Everyone who finished and is neither excluded nor marked'), ('manual', 'Nobody automatically'), ('all', 'Everyone who waits for review')], default='after_checks', max_length=12)),
                ('tops_up', models.BooleanField(default=False)),
                ('group', models.CharField(blank=True, max_length=64)),
                ('ceiling', models.PositiveIntegerField()),
                ('places_cost', models.PositiveIntegerField(default=0)),
                ('committed', models.PositiveIntegerField(default=0, editable=False)),
                ('excess', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('pauses', models.BooleanField(default=False)),
                ('problem', models.TextField(blank=True)),
                ('synced_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='rankme.panelaccount')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='panel_studies', to='rankme.campaign')),
            ],
            options={
                'verbose_name_plural': 'panel studies',
                'ordering': ['-created_at', '-id'],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state', 'COMPLETED'), _negated=True), fields=('campaign',), name='one_study_at_a_time'),
                    models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('external_id',), name='one_row_per_panel_study'),
                    models.CheckConstraint(condition=models.Q(('committed__lte', django.db.models.expressions.CombinedExpression(models.F('ceiling'), '+', models.F('excess')))), name='nothing_exceeds_the_ceiling'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['NEW', 'UNPUBLISHED']), ('places_cost__gte', django.db.models.expressions.CombinedExpression(django.db.models.functions.comparison.Cast(models.F('places'), models.BigIntegerField()), '*', models.F('reward'))), _connector='OR'), name='published_places_are_set_aside'),
                    models.CheckConstraint(condition=models.Q(('places__gt', 0), ('reward__gt', 0)), name='a_study_has_places_and_a_reward'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelSubmission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(max_length=64, unique=True)),
                ('person', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('RESERVED', 'Place reserved'), ('ACTIVE', 'At work'), ('TIMED-OUT', 'Timed out'), ('AWAITING REVIEW', 'Waiting for review'), ('APPROVED', 'Approved'), ('PARTIALLY APPROVED', 'Partly paid'), ('RETURNED', 'Returned'), ('REJECTED', 'Rejected'), ('SCREENED OUT', 'Screened out')], max_length=20)),
                ('entered_code', models.CharField(blank=True, max_length=64)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('completed_at', models.DateTimeField(blank=True, null=True)),
                ('seconds', models.FloatField(blank=True, null=True)),
                ('return_requested_at', models.DateTimeField(blank=True, null=True)),
                ('bonuses_there', models.PositiveIntegerField(blank=True, null=True)),
                ('released_at', models.DateTimeField(blank=True, null=True)),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='rankme.panelstudy')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [
                    models.Index(fields=['study', 'state'], name='submissions_by_state'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelPayment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('approval', 'Reward'), ('share', 'Part of the reward'), ('bonus', 'Bonus')], max_length=8)),
                ('amount', models.PositiveIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('cost', models.PositiveIntegerField()),
                ('percent', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('state', models.CharField(choices=[('drafted', 'To be paid'), ('asked', 'Asked for'), ('paid', 'Paid'), ('refused', 'Refused'), ('lost', 'No answer: please check')], default='drafted', max_length=7)),
                ('external_id', models.CharField(blank=True, max_length=64)),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='rankme.panelstudy')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='rankme.panelsubmission')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [
                    models.Index(fields=['study', 'state'], name='payments_by_state'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('submission', 'kind'), name='each_payment_once'),
                    models.UniqueConstraint(condition=models.Q(('kind__in', ['approval', 'share']), models.Q(('state', 'refused'), _negated=True)), fields=('submission',), name='one_reward_per_submission'),
                    models.CheckConstraint(condition=models.Q(('amount__gt', 0), ('cost__gte', models.F('amount'))), name='a_payment_has_an_amount'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['drafted', 'asked', 'paid', 'refused', 'lost'])), name='payment_state_is_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Participant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('panel', models.CharField(max_length=20)),
                ('external_id', models.CharField(max_length=200)),
                ('session_id', models.CharField(blank=True, max_length=200)),
                ('study_id', models.CharField(blank=True, db_default='', default='', max_length=200)),
                ('label', models.CharField(max_length=20)),
                ('state', models.CharField(choices=[('arrived', 'Arrived'), ('working', 'Working'), ('completed', 'Completed'), ('screened_out', 'Screened out'), ('returned', 'Gave the work back')], default='arrived', max_length=12)),
                ('language', models.CharField(blank=True, max_length=10)),
                ('consented_at', models.DateTimeField(blank=True, null=True)),
                ('entry_answers', models.JSONField(blank=True, default=dict)),
                ('entered_at', models.DateTimeField(blank=True, null=True)),
                ('instructed_at', models.DateTimeField(blank=True, null=True)),
                ('practice', models.JSONField(blank=True, db_default={}, default=dict)),
                ('practised_at', models.DateTimeField(blank=True, null=True)),
                ('version', models.PositiveSmallIntegerField()),
                ('end_answers', models.JSONField(blank=True, db_default={}, default=dict)),
                ('end_answered_at', models.DateTimeField(blank=True, null=True)),
                ('completion_code', models.CharField(blank=True, max_length=80)),
                ('completed_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.CharField(blank=True, choices=[('completed', 'Completed'), ('late', 'Finished late'), ('returned', 'Gave the rest back'), ('no_consent', 'No consent'), ('screened_out', 'Screened out'), ('failed_checks', 'Failed the checks'), ('failed_quiz', 'Failed the questions about the instructions'), ('quota_full', 'No work left'), ('incompatible_device', 'Unsuitable device'), ('timed_out', 'Time ran out'), ('too_fast', 'Too fast')], db_default='', default='', max_length=20)),
                ('browser', models.CharField(blank=True, db_default='', default='', max_length=22)),
                ('second_browser_at', models.DateTimeField(blank=True, null=True)),
                ('generation', models.PositiveIntegerField(db_default=0, default=0)),
                ('comment', models.TextField(blank=True)),
                ('arrived_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participants', to='rankme.campaign')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('campaign', 'panel', 'external_id'), name='one_participant_per_panel_id'),
                    models.UniqueConstraint(fields=('campaign', 'label'), name='rater_label_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('completed_at__isnull', False), ('state', 'completed'), ('outcome__in', ['completed', 'late']), models.Q(('completion_code', ''), _negated=True)), models.Q(('completed_at', None), ('outcome', 'returned'), ('state', 'returned')), models.Q(('completed_at', None), ('outcome__in', ['failed_checks', 'failed_quiz', 'screened_out', 'too_fast']), ('state', 'screened_out')), models.Q(models.Q(('state', 'completed'), _negated=True), ('completed_at', None), ('completion_code', ''), ('outcome', '')), _connector='OR'), name='a_code_belongs_to_an_outcome'),
                ],
            },
        ),
        migrations.AddField(
            model_name='panelsubmission',
            name='participant',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='panel_submissions', to='rankme.participant'),
        ),
        migrations.CreateModel(
            name='PanelCredit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('drafted', 'To be reported'), ('asked', 'Being reported'), ('granted', 'Granted'), ('refused', 'Refused'), ('lost', 'No answer')], default='drafted', max_length=7)),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('participant', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='panel_credit', to='rankme.participant')),
            ],
        ),
        migrations.CreateModel(
            name='Plan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('design', models.CharField(max_length=40)),
                ('options', models.JSONField()),
                ('seed', models.BigIntegerField()),
                ('balance', models.JSONField()),
                ('drawn_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='plan', to='rankme.campaign')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='PlanExtension',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('working', 'Working'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10)),
                ('progress', models.FloatField(default=0.0, help_text='Share done, 0 to 1')),
                ('step', models.CharField(blank=True, help_text='What is being done now', max_length=200)),
                ('error', models.TextField(blank=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('claimed_by', models.CharField(blank=True, max_length=200)),
                ('requested_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('heartbeat_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('phase', models.CharField(choices=[('draw', 'Drawing the extension'), ('store', 'Storing the extension')], default='draw', max_length=10)),
                ('raters_per_trial', models.PositiveSmallIntegerField()),
                ('base', models.PositiveSmallIntegerField()),
                ('items', models.PositiveIntegerField()),
                ('systems', models.PositiveIntegerField()),
                ('drawn', models.JSONField(blank=True, default=dict)),
                ('reason', models.TextField(blank=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='extensions', to='rankme.campaign')),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-requested_at', '-id'],
                'abstract': False,
                'indexes': [
                    models.Index(condition=models.Q(('state__in', ['queued', 'working'])), fields=['requested_at'], name='planextension_under_way'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state__in', ['queued', 'working'])), fields=('campaign',), name='one_extension_at_a_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QuarantinedPayload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('body', models.TextField()),
                ('body_sha256', models.CharField(default='', max_length=64)),
                ('reason', models.CharField(max_length=200)),
                ('received_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quarantined', to='rankme.participant')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('body_sha256', ''), _negated=True), fields=('participant', 'body_sha256'), name='one_row_per_unreadable_body'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QuizAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('answers', models.JSONField()),
                ('sent_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quiz_attempts', to='rankme.participant')),
            ],
            options={
                'ordering': ['number'],
                'constraints': [
                    models.UniqueConstraint(fields=('participant', 'number'), name='quiz_attempt_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RaterExclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=500)),
                ('rule', models.CharField(blank=True, db_default='', default='', max_length=1000)),
                ('decided_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rater_exclusions', to='rankme.campaign')),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='rankme.participant')),
            ],
            options={
                'ordering': ['-decided_at'],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('withdrawn_at', None)), fields=('participant',), name='one_standing_exclusion_per_rater'),
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='an_exclusion_has_a_reason'),
                    models.CheckConstraint(condition=models.Q(models.Q(('decided_by', None), models.Q(('rule', ''), _negated=True)), models.Q(('decided_by__isnull', False), ('rule', '')), _connector='OR'), name='a_person_or_a_rule_excludes'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(default=rankme.models.runs.new_public_code, editable=False, max_length=32, unique=True)),
                ('published_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('published_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='report', to='rankme.analysisrun')),
            ],
            options={
                'ordering': ['-published_at'],
            },
        ),
        migrations.CreateModel(
            name='ReportFiles',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('working', 'Working'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10)),
                ('progress', models.FloatField(default=0.0, help_text='Share done, 0 to 1')),
                ('step', models.CharField(blank=True, help_text='What is being done now', max_length=200)),
                ('error', models.TextField(blank=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('claimed_by', models.CharField(blank=True, max_length=200)),
                ('requested_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('heartbeat_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='rankme.analysisrun')),
            ],
            options={
                'abstract': False,
                'indexes': [
                    models.Index(condition=models.Q(('state__in', ['queued', 'working'])), fields=['requested_at'], name='reportfiles_under_way'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RuleDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('action', models.CharField(choices=[('exclude', 'Excluded'), ('flag', 'Marked'), ('gate', 'Turned away')], max_length=8)),
                ('rule', models.TextField()),
                ('parts', models.JSONField()),
                ('measures', models.JSONField()),
                ('decided_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rule_decisions', to='rankme.campaign')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rule_decisions', to='rankme.participant')),
            ],
            options={
                'ordering': ['decided_at', 'id'],
                'constraints': [
                    models.UniqueConstraint(fields=('participant', 'action'), name='a_rule_catches_a_rater_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RunChunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('job', models.CharField(max_length=200)),
                ('first', models.PositiveIntegerField()),
                ('count', models.PositiveIntegerField()),
                ('draws', models.BinaryField(blank=True, help_text='float64, (count, systems)', null=True)),
                ('claimed_at', models.DateTimeField(blank=True, null=True)),
                ('claimed_by', models.CharField(blank=True, max_length=200)),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='rankme.analysisrun')),
            ],
            options={
                'ordering': ['run', 'job', 'first'],
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'job', 'first'), name='one_row_per_chunk'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RunPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.TextField()),
                ('content', models.BinaryField(help_text='JSON, or the bytes of a file')),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='rankme.analysisrun')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'name'), name='one_row_per_part'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RunScores',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scores_csv_gz', models.BinaryField(blank=True, null=True)),
                ('verdicts_csv_gz', models.BinaryField(blank=True, null=True)),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='rankme.analysisrun')),
            ],
        ),
        migrations.CreateModel(
            name='Slot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('copy', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('free', 'Free'), ('held', 'Held'), ('done', 'Done')], default='free', max_length=4)),
                ('batch', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='rankme.batch')),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='rankme.campaign')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('state', 'free')), fields=['campaign', 'copy', 'batch'], name='free_slots_in_order'),
                    models.Index(fields=['campaign', 'state'], name='slots_by_state'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('batch', 'copy'), name='slot_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('held', 'Held'), ('completed', 'Completed'), ('expired', 'Lease ran out'), ('returned', 'Returned'), ('freed', 'Freed by the organiser')], default='held', max_length=10)),
                ('counts', models.BooleanField(default=True)),
                ('presentation', models.JSONField()),
                ('leased_until', models.DateTimeField()),
                ('claimed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('batch', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='rankme.batch')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='rankme.campaign')),
                ('participant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='rankme.participant')),
                ('slot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='rankme.slot')),
            ],
            options={
                'indexes': [
                    models.Index(models.F('leased_until'), condition=models.Q(('state', 'held')), name='live_leases_by_end'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state', 'held')), fields=('slot',), name='one_holder_per_slot'),
                    models.UniqueConstraint(condition=models.Q(('state', 'held')), fields=('participant',), name='one_live_batch_per_rater'),
                    models.UniqueConstraint(fields=('participant', 'batch'), name='a_rater_meets_a_batch_once'),
                    models.UniqueConstraint(fields=('id', 'version'), name='a_sitting_has_one_version'),
                    models.UniqueConstraint(condition=models.Q(('counts', True)), fields=('slot',), name='a_slot_counts_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state', 'held')), models.Q(models.Q(('state', 'held'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='only_a_held_batch_has_no_end'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(unique=True)),
                ('version', models.PositiveSmallIntegerField()),
                ('screen', models.PositiveSmallIntegerField()),
                ('revision', models.PositiveSmallIntegerField()),
                ('late', models.BooleanField(default=False)),
                ('surplus', models.BooleanField(default=False)),
                ('payload', models.JSONField()),
                ('payload_sha256', models.CharField(max_length=64)),
                ('chain_sha256', models.CharField(max_length=64)),
                ('flags', models.JSONField(blank=True, default=list)),
                ('received_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('assignment', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='rankme.assignment')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [
                    models.Index(fields=['received_at'], name='submissions_by_time'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('revision__gte', 1)), name='revisions_begin_at_one'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Judgement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('value', models.FloatField(blank=True, null=True)),
                ('text', models.TextField(blank=True)),
                ('time_ms', models.FloatField(blank=True, null=True)),
                ('cannot_judge', models.CharField(blank=True, max_length=60, null=True)),
                ('criterion', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgements', to='rankme.criterion')),
                ('output', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judgements', to='rankme.output')),
                ('submission', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgements', to='rankme.submission')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('cannot_judge', None), models.Q(('text', ''), ('value', None)), _connector='OR'), name='a_value_or_cannot_judge'),
                    models.UniqueConstraint(fields=('submission', 'criterion', 'output'), name='one_value_per_output_and_criterion', nulls_distinct=False),
                    models.CheckConstraint(condition=models.Q(('value', None), models.Q(('value__gte', -1.7976931348623157e+308), ('value__lte', 1.7976931348623157e+308)), _connector='OR'), name='a_value_is_a_finite_number'),
                ],
            },
        ),
        migrations.CreateModel(
            name='System',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('folded', models.CharField(editable=False, max_length=400)),
                ('position', models.PositiveIntegerField()),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='systems', to='rankme.campaign')),
            ],
            options={
                'ordering': ['campaign', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('campaign', 'folded'), name='system_name_once'),
                ],
            },
        ),
        migrations.AddField(
            model_name='output',
            name='system',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='outputs', to='rankme.system'),
        ),
        migrations.CreateModel(
            name='Trial',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='trials', to='rankme.batch')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='trials', to='rankme.item')),
            ],
            options={
                'ordering': ['batch', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('batch', 'position'), name='trial_position_once'),
                ],
            },
        ),
        migrations.AddField(
            model_name='submission',
            name='trial',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='rankme.trial'),
        ),
        migrations.CreateModel(
            name='Complaint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(unique=True)),
                ('screen', models.PositiveSmallIntegerField()),
                ('text', models.TextField()),
                ('received_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('dealt_with_at', models.DateTimeField(blank=True, null=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='complaints', to='rankme.assignment')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='complaints', to='rankme.campaign')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='complaints', to='rankme.participant')),
                ('trial', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='complaints', to='rankme.trial')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_complaint_says_something'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CheckTrial',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('kind', models.CharField(max_length=20)),
                ('criterion', models.CharField(max_length=60)),
                ('shown', models.JSONField()),
                ('expected', models.JSONField()),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='check_trials', to='rankme.campaign')),
                ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='checks_of', to='rankme.trial')),
                ('trial', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='as_check', to='rankme.trial')),
            ],
            options={
                'ordering': ['trial'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('source', None), models.Q(('source', models.F('trial')), _negated=True), _connector='OR'), name='a_check_is_not_its_own_source'),
                ],
            },
        ),
        migrations.CreateModel(
            name='TrialOutput',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('output', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='places', to='rankme.output')),
                ('trial', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='places', to='rankme.trial')),
            ],
            options={
                'ordering': ['trial', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('trial', 'position'), name='trial_place_once'),
                    models.UniqueConstraint(fields=('trial', 'output'), name='trial_output_once'),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name='output',
            constraint=models.UniqueConstraint(fields=('system', 'item'), name='one_output_per_system_and_item'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.UniqueConstraint(fields=('assignment', 'trial', 'screen', 'revision'), name='one_row_per_revision'),
        ),
    ]
