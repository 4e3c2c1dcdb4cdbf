import type { FastifyRequest } from 'fastify'

import { HeddleError } from '../core/errors.ts'
import type { Credential } from '../identity/authenticate.ts'
import type { Heddle } from '../memory/heddle.ts'

/**
 * Makes the hook that turns the bearer token into a credential, before the body is read.
 *
 * @throws HeddleError `CREDENTIAL_MISSING`, `CREDENTIAL_INVALID`.
 */
export function requireCredential(heddle: Heddle) {
  return async (request: FastifyRequest): Promise<void> => {
    const token = readBearer(request.headers.authorization)
    request.credential = await heddle.authenticate(token, request.tracked)
  }
}

/** @throws HeddleError `CREDENTIAL_MISSING` when the hook did not run. */
export function getCredential(request: FastifyRequest): Credential {
  if (request.credential === undefined) throw new HeddleError('CREDENTIAL_MISSING')
  return request.credential
}

function readBearer(header: string | undefined): string {
  const token = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  if (token === undefined) throw new HeddleError('CREDENTIAL_MISSING')
  return token
}
