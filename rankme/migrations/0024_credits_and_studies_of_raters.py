"""The study from which a rater came, and credit that the site itself reports."""


import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('rankme', '0023_checks_and_rules'),
    ]

    operations = [
        migrations.AddField(
            model_name='participant',
            name='study_id',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
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
    ]
