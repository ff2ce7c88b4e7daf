"""Failing the questions about the instructions is an outcome of its own."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('rankme', '0035_members_are_accounts'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='participant',
            name='a_code_belongs_to_an_outcome',
        ),
        migrations.AlterField(
            model_name='panelstudy',
            name='approval',
            field=models.CharField(choices=[('after_checks', 'Everyone who finished and is not excluded'), ('unmarked', 'Everyone who finished and is neither excluded nor marked'), ('manual', 'Nobody automatically'), ('all', 'Everyone who waits for review')], default='after_checks', max_length=12),
        ),
        migrations.AlterField(
            model_name='participant',
            name='outcome',
            field=models.CharField(blank=True, choices=[('completed', 'Completed'), ('late', 'Finished late'), ('returned', 'Gave the rest back'), ('no_consent', 'No consent'), ('screened_out', 'Screened out'), ('failed_checks', 'Failed the checks'), ('failed_quiz', 'Failed the questions about the instructions'), ('quota_full', 'No work left'), ('incompatible_device', 'Unsuitable device'), ('timed_out', 'Time ran out'), ('too_fast', 'Too fast')], db_default='', default='', max_length=20),
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('completed_at__isnull', False), ('state', 'completed'), ('outcome__in', ['completed', 'late']), models.Q(('completion_code', ''), _negated=True)), models.Q(('completed_at', None), ('outcome', 'returned'), ('state', 'returned')), models.Q(('completed_at', None), ('outcome__in', ['failed_checks', 'failed_quiz', 'screened_out', 'too_fast']), ('state', 'screened_out')), models.Q(models.Q(('state', 'completed'), _negated=True), ('completed_at', None), ('completion_code', ''), ('outcome', '')), _connector='OR'), name='a_code_belongs_to_an_outcome'),
        ),
    ]
