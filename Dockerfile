# syntax=docker/dockerfile:1
# The bundle is all that the image holds besides Node: no package manager, no sources, no shell.
# Both bases are arguments, so that a release names them by digest (.ci/base-images.txt); by tag they are for builds of your own.
ARG BUILD_IMAGE=node:24-bookworm-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

# The bundle is the same for every platform: it is made once, by the builder's own Node, and nothing is emulated.
FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# Without scripts: one of them would fetch another Node, whose digest the lock file does not have. The image's own builds.
RUN npm ci --ignore-scripts
COPY tsconfig.json LICENSE ./
# Of the scripts, those that the build loads: another one makes no new image.
COPY scripts/build.ts ./scripts/
COPY scripts/build ./scripts/build
COPY scripts/generation/observe.ts ./scripts/generation/
COPY src ./src
RUN npm run build

FROM ${RUNTIME_IMAGE}
# By `npm run generate`, from package.json.
ARG VERSION=0.1.0
ARG SOURCE=https://git.example.com/serin/serin
ARG REVISION=unknown
LABEL org.opencontainers.image.title="serin" \
      org.opencontainers.image.description="Progressive delivery for Kubernetes that never hurts the application it releases" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.url="${SOURCE}" \
      org.opencontainers.image.documentation="${SOURCE}#readme" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Distroless has Node in /nodejs/bin, the official image in /usr/local/bin: either can be the base. The heap follows the container's memory
# limit, or the machine's memory where there is none; the rest is for buffers, code and TLS. A name look-up holds a thread until its resolver gives up,
# and three slow ones of tenants would hold all that Node has by default.
ENV PATH=/nodejs/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    NODE_ENV=production \
    UV_THREADPOOL_SIZE=32 \
    NODE_OPTIONS=--max-old-space-size-percentage=60
# As root, whom the folder then belongs to: the base has another user, and one who owns the folder can replace what is in it.
USER 0:0
WORKDIR /serin
COPY --from=build --chown=0:0 /src/dist ./dist
COPY --from=build --chown=0:0 /src/LICENSE ./LICENSE
# By number, so that Kubernetes can see that it is not root. It owns no file here and writes none: the root file system may be read-only.
USER 65532:65532
EXPOSE 8080
# Kubernetes asks /livez and /readyz itself.
HEALTHCHECK NONE
# For memory (docs/operating-at-scale.md): one compiler less, a small young generation, collections sooner, and when nothing is under way.
ENTRYPOINT ["node", "--no-maglev", "--max-semi-space-size=4", "--heap-growing-percent=50", "--expose-gc", "dist/serin.js"]
CMD ["controller"]
