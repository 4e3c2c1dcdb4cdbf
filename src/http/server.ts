import type { AddressInfo, Socket } from 'node:net'

import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify'

import { HeddleError } from '../core/errors.ts'
import { failureFields } from '../core/failure-fields.ts'
import type { Heddle } from '../memory/heddle.ts'
import { CallTracker } from './call-tracker.ts'
import type { RouteDeps } from './context.ts'
import { bodyError, sendFailure, toFailure, toHttpError } from './failure.ts'
import { acceptJsonOnly, refuseEncodedBodies } from './json-body.ts'
import type { McpHttpHandler } from './mcp-handler.ts'
import { makeHttpMetrics } from './metrics.ts'
import { registerOpenApi } from './openapi.ts'
import { chooseRequestId, REQUEST_ID_HEADER } from './request-id.ts'
import { registerHealthRoutes } from './routes/health.ts'
import { registerMcpRoute } from './routes/mcp.ts'
import { explainUnknownRoute, registerMemoryRoutes } from './routes/memory.ts'
import { registerMetricsRoute } from './routes/metrics.ts'
import { refuseOtherMethods } from './routes/other-methods.ts'
import { registerRunRoutes } from './routes/runs.ts'

/** Longest time for a whole request to arrive, in milliseconds: ends clients that send for ever. */
const REQUEST_TIMEOUT_MS = 120_000

/** Longest path parameter that is looked at, in characters. */
const MAX_PARAM_LENGTH = 1024

export interface HttpServerOptions {
  /** Serves `/mcp`; without it there is no such route. */
  readonly mcp?: McpHttpHandler
}

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /**
   * Stops listening, lets the requests in flight be answered (those still there after
   * `shutdownTimeoutMs` are aborted) and closes every connection; harmless twice. The Heddle it
   * serves stays open.
   */
  close(): Promise<void>
}

/**
 * Serves Heddle over HTTP at `config.http`.
 *
 * @throws HeddleError `LISTEN_FAILED`.
 */
export async function openHttpServer(
  heddle: Heddle,
  options: HttpServerOptions = {},
): Promise<RunningServer> {
  const tracker = new CallTracker()
  const app = await buildApp(heddle, tracker, options)
  const { host, port, shutdownTimeoutMs } = heddle.config.http
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw toListenError(error, host, port)
  }
  const address = app.server.address() as AddressInfo
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= shutDown(app, tracker, shutdownTimeoutMs))
  return {
    url: toUrl(address),
    port: address.port,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there; choose another port with --port or HEDDLE_PORT',
  EACCES: 'this user may not; ports below 1024 mostly need a right of their own',
  EADDRNOTAVAIL: 'this machine has no such address; see --host and HEDDLE_HOST',
  ENOTFOUND: 'the name is not known; see --host and HEDDLE_HOST',
}

function toListenError(error: unknown, host: string, port: number): HeddleError {
  const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return new HeddleError('LISTEN_FAILED', {
    message: `Cannot listen on ${host}:${port}: ${LISTEN_REASONS[reason] ?? reason}.`,
    details: { host, port, reason },
    cause: error,
  })
}

async function buildApp(
  heddle: Heddle,
  tracker: CallTracker,
  { mcp }: HttpServerOptions,
): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit: heddle.config.http.bodyLimitBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    requestIdHeader: false,
    genReqId: (request) => chooseRequestId(request.headers[REQUEST_ID_HEADER]),
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => {
      void reply.header(REQUEST_ID_HEADER, request.id)
      const known = toHttpError(error)
      if (known.status >= 500) logFailure(heddle, request, known)
      sendFailure(reply, known)
    },
    clientErrorHandler: answerUnreadable,
  })
  const metrics = makeHttpMetrics(() => tracker.size)
  const deps: RouteDeps = {
    heddle,
    metrics,
    tracker,
    call: async (identity, request, call) => {
      const startedMs = performance.now()
      const reply = await heddle.call(identity, request, call)
      metrics.observeCall(reply, (performance.now() - startedMs) / 1000)
      return reply
    },
  }
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  acceptJsonOnly(app)
  refuseEncodedBodies(app)
  addHooks(app, deps)
  const routes = collectRoutes(app)
  await registerOpenApi(app)
  registerMemoryRoutes(app, deps)
  registerRunRoutes(app, deps)
  registerHealthRoutes(app, deps)
  registerMetricsRoute(app, deps)
  if (mcp !== undefined) registerMcpRoute(app, deps, mcp)
  refuseOtherMethods(app, routes)
  return app
}

/** Everything around a request: its id, its signal, its end in metrics and log, its failure. */
function addHooks(app: FastifyInstance, { heddle, metrics, tracker }: RouteDeps): void {
  app.decorateRequest('tracked')
  app.decorateRequest('startedMs', 0)
  app.decorateRequest('credential', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    request.startedMs = performance.now()
    request.tracked = tracker.begin(reply.raw)
    void reply.header(REQUEST_ID_HEADER, request.id)
    const isHealth = request.routeOptions.url?.startsWith('/health/') === true
    done(tracker.isDraining && !isHealth ? new HeddleError('ENGINE_CLOSED') : undefined)
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (tracker.isDraining) void reply.header('connection', 'close')
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    const seconds = (performance.now() - request.startedMs) / 1000
    const { method, id } = request
    metrics.observeRequest({ route, method, status: reply.statusCode, seconds })
    const ms = Math.round(seconds * 1000)
    heddle.logger.debug('http.request', { id, method, route, status: reply.statusCode, ms })
    done()
  })
  app.setErrorHandler((thrown, request, reply) => {
    const error = toHttpError(thrown)
    if (error.status >= 500) logFailure(heddle, request, error)
    return sendFailure(reply, error)
  })
  app.setNotFoundHandler((request, reply) => sendFailure(reply, explainUnknownRoute(request)))
}

function logFailure(
  heddle: Heddle,
  { id, routeOptions }: FastifyRequest,
  error: HeddleError,
): void {
  heddle.logger.error('http.failed', { id, route: routeOptions.url, ...failureFields(error) })
}

/** Fills with the routes that are registered from here on. */
function collectRoutes(app: FastifyInstance): ReadonlyMap<string, ReadonlySet<string>> {
  const routes = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = routes.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    routes.set(url, methods)
  })
  return routes
}

async function shutDown(
  app: FastifyInstance,
  tracker: CallTracker,
  timeoutMs: number,
): Promise<void> {
  // The order matters: what arrives on a kept connection from here on is told to go elsewhere.
  const drained = tracker.drain(timeoutMs)
  const closed = app.close()
  await drained
  app.server.closeAllConnections()
  await closed
}

/** Answers what is not even HTTP, for which there is no request. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const failure = toFailure(
    bodyError('invalid_http', 'The request is not HTTP/1.1, or its head is too large'),
  )
  const body = JSON.stringify(failure)
  const head = [
    'HTTP/1.1 400 Bad Request',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function toUrl({ address, family, port }: AddressInfo): string {
  const isAny = address === '0.0.0.0' || address === '::'
  const host = isAny ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return `http://${host}:${port}`
}
