import type { FastifyInstance } from 'fastify'

import { HeddleError, toWireError } from '../../core/errors.ts'
import type { ComponentHealth } from '../../memory/heddle.ts'
import type { RouteDeps } from '../context.ts'
import { json } from '../responses.ts'
import { LiveBody, NotReadyBody, ReadyBody } from '../schemas.ts'

/** Liveness says that this process serves, and asks nothing else; readiness asks every component. */
export function registerHealthRoutes(app: FastifyInstance, { heddle, tracker }: RouteDeps): void {
  const tags = ['health']
  app.route({
    method: 'GET',
    url: '/health/live',
    schema: {
      operationId: 'live',
      tags,
      summary: 'Whether the process serves; never touches a database',
      response: { 200: json('Success', LiveBody) },
    },
    handler: (_request, reply) => reply.send({ ok: true }),
  })
  app.route({
    method: 'GET',
    url: '/health/ready',
    schema: {
      operationId: 'ready',
      tags,
      summary: 'Whether every required component answers',
      response: {
        200: json('Success', ReadyBody),
        503: json('A required component does not answer, or the server is stopping', NotReadyBody),
      },
    },
    handler: async (request, reply) => {
      const components = await heddle.health(request.tracked)
      const isReady = components.every(({ ok, required }) => ok || !required)
      const shown = components.map(toShown)
      if (isReady && !tracker.isDraining) return reply.send({ ok: true, components: shown })
      const error = new HeddleError(tracker.isDraining ? 'ENGINE_CLOSED' : 'ENGINE_UNAVAILABLE')
      return reply.code(503).send({ ok: false, components: shown, error: toWireError(error) })
    },
  })
}

/** Anybody may ask, so addresses and versions are left out. */
function toShown({ name, ok, required, details }: ComponentHealth) {
  const { code } = details
  return { name, ok, required, ...(!ok && typeof code === 'string' && { code }) }
}
