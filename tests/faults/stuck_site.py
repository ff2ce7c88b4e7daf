"""The site with views that never end, for gunicorn: loops in Python, and a wait inside C."""

import time

from evalsite.wsgi import application as site


def application(environ, start_response):
    if environ["PATH_INFO"] == "/loops-for-ever/":
        while True:
            pass
    if environ["PATH_INFO"] == "/loops-and-rests-for-ever/":  # leaves the cores to others
        while True:
            time.sleep(0.05)
    if environ["PATH_INFO"].endswith("/waits-for-ever/"):
        time.sleep(10_000)
    if environ["PATH_INFO"] == "/takes-its-time/":
        time.sleep(0.5)
    return site(environ, start_response)
