# One image for every role: ROLES names those of a process. The command names another program, as in
# `dist/apps/gateway/main.js`.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY scripts scripts
RUN npm ci
COPY . .
# What the image says of itself: docker build --build-arg COUNTERFOIL_COMMIT=$(git rev-parse --short=12 HEAD) .
ARG COUNTERFOIL_COMMIT=unknown
# `dist` is a link to the build; what the service needs is the build itself.
RUN npm run build && cp -rL dist built && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
# Every program answers HTTP here, the gateway too, whose variable is another one: so one health check does for all.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 GATEWAY_PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/built dist
# The only place that is written to; with it as a volume the rest may be read-only.
RUN mkdir /data && chown node:node /data && chmod 700 /data
VOLUME /data
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["--enable-source-maps", "dist/apps/counterfoil/main.js"]
ENTRYPOINT ["node"]
