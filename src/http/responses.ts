import type { z } from 'zod'

import { type ErrorCode, ERRORS } from '../core/errors.ts'
import { FailureBody } from './schemas.ts'

interface DocumentedResponse {
  readonly description: string
  readonly content: { readonly 'application/json': { readonly schema: z.ZodType } }
}

/** What only other surfaces or other routes answer; everything else may come out of a call of memory. */
const NOT_FROM_MEMORY: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TENANT_UNKNOWN',
  'TENANT_EXISTS',
  'TENANT_PROTECTED',
  'KEY_UNKNOWN',
  'RUN_UNKNOWN',
  'GRANT_EXCESSIVE',
  'MIGRATION_FAILED',
  'CONFIG_INVALID',
  'DATA_FOLDER_UNUSABLE',
  'LISTEN_FAILED',
  'SERVER_UNREACHABLE',
  'ROUTE_UNKNOWN',
  'METHOD_NOT_ALLOWED',
  'ORIGIN_FORBIDDEN',
])

const ALL_CODES = Object.keys(ERRORS) as readonly ErrorCode[]

export const MEMORY_CODES = ALL_CODES.filter((code) => !NOT_FROM_MEMORY.has(code))

const ENGINE_CODES = ALL_CODES.filter((code) => /^(ENGINE|SCHEMA_(BEHIND|NEWER))/.test(code))

/** What every route that reads a body and a credential may answer. */
const COMMON_CODES: readonly ErrorCode[] = [
  'INPUT_INVALID',
  'BODY_TOO_LARGE',
  'CONTENT_ENCODING_UNSUPPORTED',
  'CREDENTIAL_MISSING',
  'CREDENTIAL_INVALID',
  'CANCELLED',
  'INTERNAL',
  ...ENGINE_CODES,
]

export const RUN_START_CODES: readonly ErrorCode[] = [
  ...COMMON_CODES,
  'OPERATION_FORBIDDEN',
  'GRANT_EXCESSIVE',
  'RUN_UNKNOWN',
]

export const RUN_END_CODES: readonly ErrorCode[] = [
  ...COMMON_CODES,
  'OPERATION_FORBIDDEN',
  'RUN_UNKNOWN',
]

/** The `response` part of a route's schema: its success, and for each status the failures that have it. */
export function documentResponses(
  status: number,
  success: z.ZodType,
  codes: readonly ErrorCode[],
): Record<string, DocumentedResponse> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set(codes)) {
    const { status: failed } = ERRORS[code]
    byStatus.set(failed, [...(byStatus.get(failed) ?? []), code])
  }
  const failures = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([failed, held]) => [failed, json(held.join(', '), FailureBody)] as const)
  return Object.fromEntries([[status, json('Success', success)], ...failures])
}

export function json(description: string, schema: z.ZodType): DocumentedResponse {
  return { description, content: { 'application/json': { schema } } }
}
