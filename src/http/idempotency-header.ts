import { invalidInput } from '../core/invalid-input.ts'
import { OPERATIONS } from '../memory/registry.ts'

export const IDEMPOTENCY_HEADER = 'idempotency-key'

const FIELD = 'idempotency_key'

/**
 * Puts the `Idempotency-Key` header of a write where the operation expects it, among its arguments.
 * Reads ignore the header; a request that is wrong anyway is handed through to be refused as it is.
 *
 * @throws HeddleError `INPUT_INVALID` when header and arguments name different keys.
 */
export function applyIdempotencyHeader(request: unknown, header: string | undefined): unknown {
  if (header === undefined || !isObject(request) || !isWrite(request['op'])) return request
  const key = decodeHeader(header)
  const { args = {} } = request as { args?: unknown }
  if (typeof args === 'string') return { ...request, args: applyToText(args, key) }
  return isObject(args) ? { ...request, args: withKey(args, key) } : request
}

/** Arguments may come as JSON text; they stay text, so that the reply can say so. */
function applyToText(text: string, key: string): string {
  let args: unknown
  try {
    args = JSON.parse(text)
  } catch {
    return text
  }
  return isObject(args) ? JSON.stringify(withKey(args, key)) : text
}

function withKey(args: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  const given = args[FIELD]
  if (given !== undefined && given !== key) {
    throw invalidInput(
      ['args', FIELD],
      'idempotency_key_differs',
      'The Idempotency-Key header names another key',
    )
  }
  return { ...args, [FIELD]: key }
}

/** Headers arrive as bytes read as Latin-1; a key that was sent as UTF-8 is the same key as in a body. */
function decodeHeader(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : header
}

function isWrite(op: unknown): boolean {
  return OPERATIONS.some(({ name, access }) => name === op && access === 'write')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
