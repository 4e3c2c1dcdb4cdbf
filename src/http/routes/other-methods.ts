import type { FastifyInstance } from 'fastify'

import { HeddleError } from '../../core/errors.ts'
import { sendFailure } from '../failure.ts'

/** Answers `METHOD_NOT_ALLOWED` for every method that a registered route does not serve. Call it last. */
export function refuseOtherMethods(
  app: FastifyInstance,
  routes: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  // Copied, since what is registered here joins the routes.
  const known = [...routes].map(([url, methods]) => [url, [...methods]] as const)
  for (const [url, served] of known) {
    const others = app.supportedMethods.filter((method) => !served.includes(method))
    const allow = served.join(', ')
    app.route({
      method: others,
      url,
      schema: { hide: true },
      // Before the body: what it holds does not matter.
      onRequest: (_request, reply, _done) => {
        void reply.header('allow', allow)
        sendFailure(reply, new HeddleError('METHOD_NOT_ALLOWED', { details: { allow: served } }))
      },
      handler: () => undefined,
    })
  }
}
