import type { FastifyInstance } from 'fastify'

import { HeddleError } from '../core/errors.ts'
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
 * Refuses compressed bodies before they are read: nothing here unpacks them, and a small one could
 * become a very large one.
 */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
    if (encoding === '' || encoding === 'identity') {
      done()
      return
    }
    void reply.header('accept-encoding', 'identity')
    done(
      new HeddleError('CONTENT_ENCODING_UNSUPPORTED', {
        message: 'Bodies with a content-encoding are not read; send the JSON as it is',
      }),
    )
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
