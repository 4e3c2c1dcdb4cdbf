import { queryTextOf } from './protocol.ts'

const LIMIT = /^begin\b[^;]*;.*?set_config\('statement_timeout', '(\d{1,9})', true\)/s
/** BEGIN with its settings names the limit near the start. */
const LOOKED_AT = 400

/**
 * The statement limit of the transaction that `message` opens, in milliseconds. It is read from the
 * same `set_config` that a server obeys by itself; Postgres in WebAssembly stores the setting but has
 * no clock to interrupt it, so the host keeps the limit.
 */
export function statementLimitOf(message: Buffer): number | undefined {
  const text = queryTextOf(message.subarray(0, LOOKED_AT))
  const limit = text === undefined ? undefined : LIMIT.exec(text)?.[1]
  return limit === undefined || limit === '0' ? undefined : Number(limit)
}
