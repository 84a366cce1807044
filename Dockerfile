# One gateway: docker build -t lastword . ; see docker-compose.yml for how it is run.
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
WORKDIR /src
COPY requirements.lock ./
RUN python -m venv /opt/lastword \
    && /opt/lastword/bin/pip install --quiet --no-cache-dir --require-hashes -r requirements.lock \
    && /opt/lastword/bin/pip install --quiet --no-cache-dir "hatchling>=1.27"
COPY pyproject.toml README.md LICENSE CHANGELOG.md DECISIONS.md ./
COPY gateway ./gateway
COPY adapters ./adapters
COPY agents ./agents
RUN /opt/lastword/bin/pip install --quiet --no-cache-dir --no-deps --no-build-isolation . \
    && /opt/lastword/bin/pip uninstall --quiet --yes hatchling

FROM python:${PYTHON}-slim
RUN useradd --uid 10001 --create-home --home-dir /data lastword
COPY --from=build /opt/lastword /opt/lastword
ENV PATH=/opt/lastword/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["lastword"]
CMD ["run", "/config/bots.yaml"]
