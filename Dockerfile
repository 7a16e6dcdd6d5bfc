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
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
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
# Types, source maps, sources, tests and the record of npm: Node never loads them. A licence stays.
RUN find node_modules -type f \
      \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -iname 'changelog*' \) -delete && \
    find node_modules -depth -type d \( -name test -o -name tests \) -exec rm -r {} + && \
    rm node_modules/.package-lock.json
# The same code again for browsers and bundlers, and parts that nothing imports. `rm` fails if a path is missing, so each
# new release of these packages checks the list. test/deploy/image.e2e.ts finds a file that is missing but needed.
RUN cd node_modules && rm -r \
      class-transformer/bundles class-transformer/esm5 class-transformer/esm2015 \
      class-validator/bundles class-validator/esm5 class-validator/esm2015 \
      csv-parse/dist/esm csv-parse/dist/iife csv-parse/dist/umd \
      csv-stringify/dist/esm csv-stringify/dist/iife csv-stringify/dist/umd \
      dayjs/esm es-toolkit/dist/fp es-toolkit/dist/server \
      libphonenumber-js/bundle libphonenumber-js/es6 libphonenumber-js/es6-modern \
      libphonenumber-js/mobile libphonenumber-js/source \
      rxjs/src rxjs/dist/bundles rxjs/dist/esm rxjs/dist/esm5 \
      typeorm/browser validator/es yaml/browser && \
    find . -type d -empty -delete

# Nothing runs in this stage, so that it holds what the base has and what is named here. Files belong to root: the user
# below can write nowhere, and needs to nowhere but where a database file, if any, is mounted.
FROM base
ENV NODE_ENV=production
WORKDIR /app
COPY package.json ./
COPY --from=build /app/sbom.cdx.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# Maps for imports, to be named by --map.
COPY mappings mappings
# A sandbox loads the demo data. In production, the service never loads it.
COPY demo demo
# By number: Kubernetes cannot tell of a name that it is not root. 1000 is the user "node" of the base.
USER 1000:1000
EXPOSE 3000 3001
# Without a shell, so that node is process 1 and receives the signals. The option is that of `npm start`.
CMD ["node", "--initial-old-space-size=256", "dist/main.js"]
