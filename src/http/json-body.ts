import type { FastifyInstance } from 'fastify'

import { bodyError } from './failure.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Makes JSON the only body that is read. Fields named `__proto__` or `constructor` stay what they
 * are, data: nothing here assigns them, and a stored value may hold any name.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      // Clients that always name the type send it without a body, too.
      done(null, body.length === 0 ? undefined : parseJsonBody(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

/**
 * @throws HeddleError `INPUT_INVALID` when the bytes are not UTF-8 or not JSON. It does not say where:
 * the parser's own words quote the contents.
 */
function parseJsonBody(body: Buffer): unknown {
  let text: string
  try {
    text = UTF8.decode(body)
  } catch {
    throw bodyError('invalid_utf8', 'The body is not UTF-8')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw bodyError('invalid_json', 'The body is not JSON')
  }
}
