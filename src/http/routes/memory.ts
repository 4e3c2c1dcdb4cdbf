import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { ERRORS, HeddleError } from '../../core/errors.ts'
import { invalidInput } from '../../core/invalid-input.ts'
import { findNearest } from '../../core/nearest.ts'
import { OPERATIONS } from '../../memory/registry.ts'
import type { AnyOperation } from '../../operation/definition.ts'
import type { RouteDeps } from '../context.ts'
import { getCredential, requireCredential } from '../credential.ts'
import { applyIdempotencyHeader, IDEMPOTENCY_HEADER } from '../idempotency-header.ts'
import { documentResponses, MEMORY_CODES } from '../responses.ts'
import { MemoryBody, MemorySuccessBody, operationBody, operationSuccessBody } from '../schemas.ts'

/** Reading the body is the router's task alone; the schemas of these routes only document. */
const unchecked = () => (value: unknown) => ({ value })

/** The memory tool, and for documents and typed clients each of its operations under a route of its own. */
export function registerMemoryRoutes(app: FastifyInstance, deps: RouteDeps): void {
  app.route({
    method: 'POST',
    url: '/v1/memory',
    onRequest: requireCredential(deps.heddle),
    validatorCompiler: unchecked,
    schema: {
      operationId: 'memory',
      tags: ['memory'],
      summary: 'Call the memory tool',
      security: [{ bearer: [] }],
      body: MemoryBody,
      response: documentResponses(200, MemorySuccessBody, MEMORY_CODES),
    },
    handler: (request, reply) => answer(deps, request, reply, request.body),
  })
  for (const operation of OPERATIONS) registerOperation(app, deps, operation)
}

function registerOperation(app: FastifyInstance, deps: RouteDeps, operation: AnyOperation): void {
  app.route({
    method: 'POST',
    url: `/v1/memory/${operation.name}`,
    onRequest: requireCredential(deps.heddle),
    validatorCompiler: unchecked,
    schema: {
      operationId: operation.name,
      tags: [
        operation.name.split('.').length > 1 ? (operation.name.split('.')[0] ?? '') : 'memory',
      ],
      summary: operation.summary,
      security: [{ bearer: [] }],
      body: operationBody(operation),
      response: documentResponses(200, operationSuccessBody(operation), MEMORY_CODES),
    },
    handler: (request, reply) =>
      answer(deps, request, reply, toMemoryRequest(operation.name, request.body)),
  })
}

const OPERATION_ROUTE = /^\/v1\/memory\/([^/?#]+)/

/** A route of the memory tool that is not there is an operation that is not there: it is told the nearest one. */
export function explainUnknownRoute({ method, url }: FastifyRequest): HeddleError {
  const asked = method === 'POST' ? OPERATION_ROUTE.exec(url)?.[1] : undefined
  if (asked === undefined) return new HeddleError('ROUTE_UNKNOWN')
  const nearest = findNearest(
    asked,
    OPERATIONS.filter(({ audience }) => audience === 'agent').map(({ name }) => name),
  )
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
  return new HeddleError('OPERATION_UNKNOWN', { message: `There is no such operation${hint}` })
}

/** The route names the operation, so the body must not. */
function toMemoryRequest(op: string, body: unknown): unknown {
  if (body === undefined) return { op }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  if (Object.hasOwn(body, 'op')) {
    throw invalidInput(['op'], 'unknown_field', 'The route names the operation')
  }
  return { ...body, op }
}

async function answer(
  deps: RouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
): Promise<FastifyReply> {
  const { identity } = getCredential(request)
  const header = request.headers[IDEMPOTENCY_HEADER]
  const asked = applyIdempotencyHeader(body, typeof header === 'string' ? header : undefined)
  const result = await deps.call(identity, asked, request.tracked)
  return reply.code(result.ok ? 200 : ERRORS[result.error.code].status).send(result)
}
