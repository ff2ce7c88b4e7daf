"""The form of the page that says what a table of ratings can claim."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class TableForm(forms.Form):
    """One file with ratings."""

    table = forms.FileField(
        label=_("Table of ratings"),
        help_text=_(
            "CSV, Excel, OpenDocument, JSON lines or Parquet, with every rater's own values, also "
            "as Google Forms, Qualtrics and other survey tools export them. At most 1 MB."
        ),
        max_length=200,
    )
    columns = forms.CharField(
        label=_("Columns, if their names do not say it"),
        required=False,
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 2, "class": "code", "spellcheck": "false"}),
        help_text=_("Such as: rater=who, item=id, system=model, value=score"),
    )
