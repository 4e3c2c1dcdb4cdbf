import pg from 'pg'

import { HeddleError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import type { Provenance } from '../../provenance/provenance.ts'
import type { TransactionAccess } from './engine.ts'

/** Who a transaction acts as; `none` stays the user that connected. */
export type EngineRole = 'heddle_app' | 'heddle_dispatch' | 'heddle_owner' | 'none'

export interface BeginOptions {
  readonly role: EngineRole
  readonly access?: TransactionAccess
  readonly readOnly: boolean
  readonly statementTimeoutMs: number
  readonly idleInTransactionMs: number
}

/**
 * The text that opens a transaction in one round trip: BEGIN, the role, and every setting that
 * policies and column defaults read. All of them are always set, so nothing of an earlier
 * transaction on the connection can be seen, and all are local, so nothing outlives this one.
 *
 * The statement limit stands first: the host of an embedded folder reads it from here
 * (embedded/statement-limit.ts), because Postgres in WebAssembly cannot interrupt itself.
 */
export function beginText(options: BeginOptions): string {
  const { role, access, readOnly } = options
  const settings: readonly (readonly [string, string])[] = [
    ['statement_timeout', String(Math.ceil(options.statementTimeoutMs))],
    ['idle_in_transaction_session_timeout', String(Math.ceil(options.idleInTransactionMs))],
    ['timezone', 'UTC'],
    ['datestyle', 'ISO, MDY'],
    ['heddle.read_tenants', uuidArray(access?.read.tenantIds)],
    ['heddle.read_scopes', uuidArray(access?.read.scopeIds)],
    ['heddle.write_tenants', uuidArray(access?.write.tenantIds)],
    ['heddle.write_scopes', uuidArray(access?.write.scopeIds)],
    ...provenanceSettings(access?.provenance),
  ]
  const calls = settings.map(([name, value]) => `set_config('${name}', ${literal(value)}, true)`)
  const begin = readOnly ? 'begin read only' : 'begin'
  const setRole = role === 'none' ? '' : `set local role ${role}; `
  return `${begin}; ${setRole}select ${calls.join(', ')}`
}

function provenanceSettings(provenance: Provenance | undefined): [string, string][] {
  return [
    ['heddle.agent', provenance?.agent ?? ''],
    ['heddle.user', provenance?.user ?? ''],
    ['heddle.session', provenance?.session ?? ''],
    ['heddle.run_id', provenance?.runId ?? ''],
    ['heddle.model', provenance?.model ?? ''],
    ['heddle.compaction_generation', String(provenance?.compactionGeneration ?? '')],
    ['heddle.origin', provenance?.origin ?? ''],
  ]
}

/** An array literal; the empty list is '' so that policies read it as null. */
function uuidArray(ids: readonly string[] | undefined): string {
  if (ids === undefined || ids.length === 0) return ''
  for (const id of ids) {
    if (!isUuid(id)) throw new HeddleError('INTERNAL', { message: 'A scope id is not a UUID.' })
  }
  return `{${ids.join(',')}}`
}

/** A NUL would end the text of the whole message where it stands. */
function literal(value: string): string {
  if (value.includes('\0')) {
    throw new HeddleError('INPUT_INVALID', { message: 'Provenance cannot hold a NUL character.' })
  }
  return pg.escapeLiteral(value)
}
