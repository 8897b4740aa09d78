# A small image: the packages are installed in one stage and copied into another, which has no compiler and no pip cache.
FROM python:3.13-slim-bookworm AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE paperbot.toml ./
COPY .ci/requirements requirements
COPY bot bot
COPY docs/schemas docs/schemas
COPY profiles profiles
COPY seeds seeds
COPY templates templates
RUN python -m venv /opt/paperbot \
 && /opt/paperbot/bin/pip install --no-cache-dir --only-binary :all: --no-deps --require-hashes --requirement requirements/queue.txt \
 && /opt/paperbot/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim-bookworm
ARG COMMIT=unknown
LABEL org.opencontainers.image.title="Paperbot" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.revision="$COMMIT"
COPY --from=build /opt/paperbot /opt/paperbot
# The home is the only place that is written to, so the rest of the file system can be read-only.
RUN install --directory --owner=nobody --group=nogroup --mode=0700 /home
ENV PATH=/opt/paperbot/bin:$PATH \
    PAPERBOT_HOME=/home \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER nobody
WORKDIR /home
VOLUME /home
EXPOSE 8000
# Python instead of curl, which the slim image doesn't have. The start covers fitting a large store's vocabulary.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
ENTRYPOINT ["paperbot"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
