# One image for web, worker and beat; what a container does is its command.
# To pin it: PYTHON_IMAGE=python:3.12-slim@sha256:… in .env (see docs/deployment.md).
ARG PYTHON_IMAGE=python:3.12-slim
FROM ${PYTHON_IMAGE}

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 \
    ENVIRONMENT=production HOST=0.0.0.0 DATA_FOLDER=/data \
    NUMBA_CACHE_DIR=/data/cache/numba MPLCONFIGDIR=/data/cache/matplotlib

WORKDIR /site
COPY requirements.lock .
# Every file is known by its hash, and nothing comes in that the lock does not name.
RUN pip install --require-hashes --no-deps -r requirements.lock && pip check \
    && useradd --system --no-create-home --uid 10001 rankme \
    && install -d -o rankme -g rankme /data
COPY . .
# Files are collected when the image is built, and lie outside the volume: it keeps old ones.
ENV STATIC_FOLDER=/site/static-collected
RUN ENVIRONMENT=local DATA_FOLDER=/tmp/build python manage.py collectstatic --no-input \
    && python -m compileall -q analysis evalsite rankme && rm -rf /tmp/build

USER rankme
EXPOSE 8000
VOLUME /data
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["python", "-m", "evalsite.health"]
CMD ["gunicorn", "--config", "python:evalsite.gunicorn", "evalsite.wsgi"]
