"""Items and outputs can be pictures, sounds and films, which are frozen with them."""
import django.db.models.deletion
from django.db import migrations, models


FREEZE = """
CREATE TRIGGER mediafile_is_frozen BEFORE UPDATE OR DELETE ON rankme_mediafile
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_launched();
"""
FREEZE_BACK = "DROP TRIGGER mediafile_is_frozen ON rankme_mediafile"


class Migration(migrations.Migration):

    dependencies = [
        ('rankme', '0029_problems_that_raters_report'),
    ]

    operations = [
        migrations.AddField(
            model_name='item',
            name='alt',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
        migrations.AddField(
            model_name='output',
            name='alt',
            field=models.TextField(blank=True, db_default='', default=''),
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
        migrations.AddField(
            model_name='item',
            name='media',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='rankme.mediafile'),
        ),
        migrations.AddField(
            model_name='output',
            name='media',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='outputs', to='rankme.mediafile'),
        ),
        migrations.RunSQL(FREEZE, FREEZE_BACK),
    ]
