# The service and its commands in one image. deploy/README.md says how it is run; settings come from the environment.
#
# Node 24 is the current LTS line, Debian bookworm is supported as long as it is. The tag names both and no more, so that
# a rebuild takes up security fixes of the two and nothing else; what npm installs is fixed by package-lock.json.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Packages bring their binaries along; no script of theirs has to run.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY build.mjs .swcrc ./
COPY src src
RUN npm run build && find dist -name '*.map' -delete
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

# Nothing runs in this stage, so that it holds what the base has and what is named here. Files belong to root: the user
# below can write nowhere, and needs to nowhere but where a database file, if any, is mounted.
FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json ./
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
