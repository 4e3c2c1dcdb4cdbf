import type { FastifyInstance } from 'fastify'
import { z } from 'zod'

import { HeddleError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { RunRequest, StartedRun } from '../../identity/runs.ts'
import { parseStrict } from '../../memory/validate.ts'
import type { RouteDeps } from '../context.ts'
import { getCredential, requireCredential } from '../credential.ts'
import { documentResponses, RUN_END_CODES, RUN_START_CODES } from '../responses.ts'
import { EndedRun } from '../schemas.ts'

const RunPath = z.object({ id: z.uuid().describe('run_id as given when the run was started') })

/** Where a platform turns its service key into the short-lived token of one agent run. */
export function registerRunRoutes(app: FastifyInstance, { heddle }: RouteDeps): void {
  const onRequest = requireCredential(heddle)
  const common = { tags: ['runs'], security: [{ bearer: [] }] }
  app.route({
    method: 'POST',
    url: '/v1/runs',
    onRequest,
    schema: {
      ...common,
      operationId: 'startRun',
      summary: 'Open an agent run under a service key and get its token',
      body: RunRequest,
      response: documentResponses(201, StartedRun, RUN_START_CODES),
    },
    handler: async (request, reply) => {
      const asked = parseStrict(RunRequest, request.body)
      const started = await heddle.startRun(getCredential(request), asked, request.tracked)
      return reply.code(201).send(started)
    },
  })
  app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/v1/runs/:id/end',
    onRequest,
    schema: {
      ...common,
      operationId: 'endRun',
      summary: 'End a run of this key, and with it everything in its run scope',
      params: RunPath,
      response: documentResponses(200, EndedRun, RUN_END_CODES),
    },
    handler: async (request, reply) => {
      const credential = getCredential(request)
      const runId = request.params.id.toLowerCase()
      // What is not an id cannot be the id of a run; the answer is the one for any other unknown run.
      if (!isUuid(runId)) throw new HeddleError('RUN_UNKNOWN')
      await heddle.endRun(credential, runId, request.tracked)
      return reply.send({ ok: true, run_id: runId })
    },
  })
}
