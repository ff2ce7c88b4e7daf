"""How django-allauth signs organisers in at this site."""
