# The service and its commands in one image. docs/image.md says how to build and verify it, deploy/README.md how to run
# it. Settings come from the environment.
#
# Node 24 gets security fixes until April 2028, and Debian bookworm until June 2028. The digest fixes the base, so that
# two builds of one commit are equal. Renovate moves the digest with the tag (renovate.json).
FROM node:24-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS base

FROM base AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Both secrets are optional: the certificates of a proxy that decrypts TLS, and an .npmrc with a registry of your own.
# Packages bring their binaries along, so none of their scripts has to run.
RUN --mount=type=secret,id=ca --mount=type=secret,id=npmrc,target=/root/.npmrc \
    if [ -e /run/secrets/ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/ca; fi && \
    npm ci --ignore-scripts --no-audit --no-fund
COPY build.mjs .swcrc ./
COPY src src
RUN npm run build && find dist -name '*.map' -delete
RUN npm prune --omit=dev --offline --ignore-scripts --no-audit --no-fund
# The base has glibc. libsql would load this binary on Alpine.
RUN rm -r node_modules/@libsql/linux-*-musl
# The list of packages for scanners. npm would report the removed development packages as missing, and would write the
# time and a random number into the list.
RUN npm pkg delete devDependencies && \
    npm sbom --omit=dev --sbom-format=cyclonedx --sbom-type=application > sbom.json && \
    node -e "const { serialNumber, ...sbom } = require('./sbom.json'); delete sbom.metadata.timestamp; \
      sbom.metadata.component.name = require('./package.json').name; \
      require('fs').writeFileSync('sbom.cdx.json', JSON.stringify(sbom, null, 1))"
# The service loads libsql from here, and every other package from its bundle. The licences of all packages stay, and
# their versions, which scanners read. test/bundle.e2e.ts fails if the bundle lacks a package.
RUN cd node_modules && find . -type f \
      -not -path './libsql/*' -not -path './@libsql/*' -not -path './@neon-rs/load/*' -not -path './detect-libc/*' \
      -not -name package.json -not -iname 'licen[cs]e*' -not -iname 'notice*' -delete && \
    find . -type l -delete && find . -type d -empty -delete

# This stage runs nothing, so it contains only the base and the files below. They belong to root, so the service cannot
# change them. It writes only to mounted volumes, such as that of an SQLite file.
FROM base
ENV NODE_ENV=production
WORKDIR /app
COPY package.json ./
COPY --from=build /app/sbom.cdx.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# Column maps for `import --map`.
COPY mappings mappings
# A sandbox loads the demo data. In production, the service never loads it.
COPY demo demo
# A number, because Kubernetes cannot check whether a name is root. 1000 is the user "node" of the base.
USER 1000:1000
EXPOSE 3000 3001
# Without a shell, so that node is process 1 and receives the signals. `npm start` uses the same options.
CMD ["node", "--initial-old-space-size=256", "--max-semi-space-size=16", "dist/main.js"]
