import { z } from 'zod'

import type { Role } from '../identity/identity.ts'
import type { AnyOperation } from '../operation/definition.ts'
import { DOCUMENT_OPERATIONS } from '../planes/documents/index.ts'
import { KV_OPERATIONS } from '../planes/kv/index.ts'
import { RECALL_OPERATIONS } from '../recall/index.ts'
import { IDEMPOTENCY_KEY } from './idempotency.ts'
import { docDeleteOperation } from './operations/doc-delete.ts'
import { docSearchOperation } from './operations/doc-search.ts'
import { evidenceAddOperation } from './operations/evidence-add.ts'
import { evidenceLocateOperation } from './operations/evidence-locate.ts'
import { forgetOperation } from './operations/forget.ts'
import { getOperation } from './operations/get.ts'
import { makeHelpOperation } from './operations/help.ts'
import { listOperation } from './operations/list.ts'

const help = makeHelpOperation(() => OPERATIONS, argsSchema)

/**
 * Every operation, once. Validation, the MCP tools, HTTP, OpenAPI, the command line, the typed client,
 * `docs/reference/operations.md` and the pins are all derived from this list.
 */
const REGISTERED = [
  ...RECALL_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  docSearchOperation,
  docDeleteOperation,
  getOperation,
  listOperation,
  forgetOperation,
  help,
  evidenceAddOperation,
  evidenceLocateOperation,
  ...KV_OPERATIONS,
] as const

export const OPERATIONS: readonly AnyOperation[] = REGISTERED

type Registered = (typeof REGISTERED)[number]

/** The name of any operation. */
export type OperationName = Registered['name']

type Named<N extends OperationName> = Extract<Registered, { readonly name: N }>

/** What a caller writes as `args` of an operation. */
export type OperationArgs<N extends OperationName> = z.input<Named<N>['input']> &
  (Named<N> extends { readonly access: 'write' } ? { idempotency_key?: string } : unknown)

/** What a successful call of an operation answers as `result`. */
export type OperationResult<N extends OperationName> = z.output<Named<N>['output']>

/** The operations that a role is shown and may call. */
export function operationsFor(role: Role): readonly AnyOperation[] {
  if (role === 'admin') return OPERATIONS
  return OPERATIONS.filter((operation) => operation.audience === 'agent')
}

/** The schema of an operation's `args` on the wire: its own input and, for a write, the idempotency key. */
export function inputSchema(operation: AnyOperation): z.ZodObject {
  const input: z.ZodObject = operation.input
  return operation.access === 'write'
    ? input.extend({ idempotency_key: IDEMPOTENCY_KEY.optional() })
    : input
}

/** The same as JSON Schema. */
export function argsSchema(operation: AnyOperation): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(inputSchema(operation), { io: 'input' })
  return schema
}
