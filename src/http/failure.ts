import type { FastifyReply } from 'fastify'

import { ERRORS, HeddleError, toHeddleError, toWireError } from '../core/errors.ts'
import type { MemoryFailure } from '../memory/reply.ts'

/** What fastify's own errors are in our table; their texts may quote the request and are not passed on. */
const FRAMEWORK_ERRORS: Readonly<Record<string, () => HeddleError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new HeddleError('BODY_TOO_LARGE'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    bodyError('content_type', 'Expected content-type application/json'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    bodyError('content_length', 'The body is not as long as content-length says'),
  FST_ERR_BAD_URL: () => requestError('url', 'The URL is not well encoded'),
  FST_ERR_MAX_PARAM_LENGTH: () => new HeddleError('ROUTE_UNKNOWN'),
}

/** Turns anything that was thrown while a request was served into an error of the table. */
export function toHttpError(thrown: unknown): HeddleError {
  if (thrown instanceof HeddleError) return thrown
  const { code, statusCode } = asFrameworkError(thrown)
  const known = code === undefined ? undefined : FRAMEWORK_ERRORS[code]
  if (known !== undefined) return known()
  const isRequestFault = statusCode !== undefined && statusCode >= 400 && statusCode < 500
  return isRequestFault
    ? requestError('request', 'The request could not be read')
    : toHeddleError(thrown)
}

/** A body that cannot be read, which is not yet a question of its schema. */
export function bodyError(code: string, message: string): HeddleError {
  return new HeddleError('INPUT_INVALID', { message, issues: [{ path: [], code, message }] })
}

function requestError(code: string, message: string): HeddleError {
  return bodyError(`invalid_${code}`, message)
}

/** The body of every failed answer. */
export function toFailure(error: HeddleError): MemoryFailure {
  return { ok: false, error: toWireError(error) }
}

export function sendFailure(reply: FastifyReply, error: HeddleError): FastifyReply {
  if (error.status === 401) void reply.header('www-authenticate', 'Bearer')
  return reply.code(ERRORS[error.code].status).send(toFailure(error))
}

function asFrameworkError(thrown: unknown): { code?: string; statusCode?: number } {
  if (!(thrown instanceof Error)) return {}
  const { code, statusCode } = thrown as { code?: unknown; statusCode?: unknown }
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof statusCode === 'number' && { statusCode }),
  }
}
