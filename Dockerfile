# syntax=docker/dockerfile:1
# The bundle is all that the image holds besides Node: no package manager's tree, no sources, no shell needed to run it.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json LICENSE ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build

FROM node:24-bookworm-slim
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="serin" \
      org.opencontainers.image.description="Progressive delivery for Kubernetes that never hurts the application it releases" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production
WORKDIR /serin
COPY --from=build --chown=0:0 /src/dist ./dist
COPY --from=build --chown=0:0 /src/LICENSE ./LICENSE
# By number, so that Kubernetes can see that it is not root. It owns no file here and writes none: the root file system may be read-only.
USER 65532:65532
EXPOSE 8080
# Kubernetes asks /livez and /readyz itself.
HEALTHCHECK NONE
ENTRYPOINT ["node", "dist/serin.js"]
CMD ["controller"]
