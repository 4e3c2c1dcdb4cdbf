import { z } from 'zod'

import { HeddleError, toHeddleError, toWireError } from '../core/errors.ts'
import { failureFields } from '../core/failure-fields.ts'
import type { NewId } from '../core/ids.ts'
import { invalidInput } from '../core/invalid-input.ts'
import type { Logger } from '../core/logger.ts'
import { findNearest } from '../core/nearest.ts'
import type { PostgresEngine } from '../engines/postgres/engine.ts'
import type { Identity } from '../identity/identity.ts'
import { resolveScopes } from '../identity/resolve-scopes.ts'
import type { OperationCall } from '../operation/call.ts'
import type { AnyOperation } from '../operation/definition.ts'
import type { Limits } from '../operation/limits.ts'
import { makeProvenance } from '../provenance/provenance.ts'
import { type CallScopes, decideCallScopes, parseScopeKind } from './call-scopes.ts'
import { argsSchema, inputSchema, OPERATIONS, operationsFor } from './registry.ts'
import type { MemoryReply, Note } from './reply.ts'
import { parseStrict, refuseMisplaced, refuseUnstorable } from './validate.ts'
import { makeWriteCall } from './write-call.ts'

export interface MemoryDeps {
  readonly engine: PostgresEngine
  readonly limits: Limits
  readonly newId: NewId
  readonly logger: Logger
}

export interface CallOptions {
  /** Gives up the call; see `TransactionOptions.signal`. */
  readonly signal: AbortSignal
}

const Request = z.strictObject({
  op: z.string(),
  scope: z.string().optional(),
  args: z.unknown().optional(),
})

/**
 * The one way into memory: every surface hands its request here. Never throws: a failure is a reply
 * with its code, and with the operation's schema when the input was at fault.
 */
export async function callMemory(
  deps: MemoryDeps,
  identity: Identity,
  request: unknown,
  options: CallOptions,
): Promise<MemoryReply> {
  const startedMs = performance.now()
  let operation: AnyOperation | undefined
  try {
    operation = findNamed(identity, request)
    if (operation !== undefined) refuseMisplaced(request, Request, inputSchema(operation))
    const { op, scope, args } = parseStrict(Request, request)
    operation = findOperation(identity, op)
    return await run(deps, identity, operation, scope, args, options)
  } catch (thrown) {
    const error = toHeddleError(thrown)
    logFailure(deps.logger, error, operation, performance.now() - startedMs)
    const isInputFault = error.code === 'INPUT_INVALID' && operation !== undefined
    return {
      ok: false,
      ...(operation && { op: operation.name }),
      error: toWireError(error),
      ...(isInputFault && { args_schema: argsSchema(operation as AnyOperation) }),
    }
  }
}

async function run(
  deps: MemoryDeps,
  identity: Identity,
  operation: AnyOperation,
  scope: string | undefined,
  args: unknown,
  options: CallOptions,
): Promise<MemoryReply> {
  const notes: Note[] = []
  const note = (code: string, message: string): void => {
    if (!notes.some((held) => held.code === code)) notes.push({ code, message })
  }
  const asked = scope === undefined ? undefined : parseScopeKind(scope)
  const fields = parseArgs(operation, args, note)
  const rows = await resolveScopes(deps.engine, identity, options.signal)
  const scopes = decideCallScopes(operation, identity, rows, {
    scope: asked,
    ...(operation.access === 'read' && { scopes: operation.narrowTo?.(fields.input) }),
  })
  const call = makeCall(deps, identity, scopes, options.signal, note)
  const result = await handle(deps, operation, call, scopes, fields)
  const used = scopes.target === undefined ? scopes.read.scopes : [scopes.target]
  return { ok: true, op: operation.name, scopes: used.map((ref) => ref.kind), result, notes }
}

interface ParsedArgs {
  readonly input: Record<string, unknown>
  readonly idempotencyKey?: string
}

function parseArgs(
  operation: AnyOperation,
  args: unknown,
  note: OperationCall['note'],
): ParsedArgs {
  const value = typeof args === 'string' ? parseArgsText(args, note) : (args ?? {})
  refuseUnstorable(value)
  const parsed = parseStrict(inputSchema(operation), value)
  if (operation.access === 'read') return { input: parsed }
  const { idempotency_key: key, ...input } = parsed as Record<string, unknown> & {
    idempotency_key?: string
  }
  return { input, ...(key !== undefined && { idempotencyKey: key }) }
}

/** Many models send the arguments as one JSON text; it is read once, nothing deeper is. */
function parseArgsText(text: string, note: OperationCall['note']): unknown {
  try {
    const value: unknown = JSON.parse(text)
    note('args_were_text', 'args came as JSON text; send it as an object')
    return value
  } catch {
    throw invalidInput(['args'], 'invalid_type', 'Expected an object (or its JSON text)')
  }
}

function makeCall(
  deps: MemoryDeps,
  identity: Identity,
  scopes: CallScopes,
  signal: AbortSignal,
  note: OperationCall['note'],
): OperationCall {
  const none = { scopes: [], tenantIds: [], scopeIds: [] }
  return {
    identity,
    provenance: makeProvenance(identity),
    read: scopes.read,
    limits: deps.limits,
    newId: deps.newId,
    signal,
    note,
    readTransaction: (fn) =>
      deps.engine.withTransaction(
        { read: scopes.read, write: none },
        { signal, readOnly: true },
        fn,
      ),
  }
}

async function handle(
  deps: MemoryDeps,
  operation: AnyOperation,
  call: OperationCall,
  scopes: CallScopes,
  { input, idempotencyKey }: ParsedArgs,
): Promise<unknown> {
  if (operation.access === 'read') return operation.handle(call, input)
  if (scopes.target === undefined) throw new HeddleError('INTERNAL')
  const writeCall = makeWriteCall({
    engine: deps.engine,
    base: call,
    operation,
    target: scopes.target,
    input,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
  return operation.handle(writeCall, input)
}

/** The operation that a request names, if it does; the request itself may be at fault. */
function findNamed(identity: Identity, request: unknown): AnyOperation | undefined {
  if (typeof request !== 'object' || request === null || !('op' in request)) return undefined
  return typeof request.op === 'string' ? findOperation(identity, request.op) : undefined
}

/** @throws HeddleError `OPERATION_UNKNOWN` (also for what this identity is not shown), `OPERATION_FORBIDDEN`. */
function findOperation(identity: Identity, name: string): AnyOperation {
  if (identity.role === 'service') {
    throw new HeddleError('OPERATION_FORBIDDEN', {
      message: 'A service key opens runs; call memory with the token of a run',
    })
  }
  const visible = operationsFor(identity.role)
  const found = visible.find((operation) => operation.name === name)
  if (found !== undefined) return found
  const nearest = findNearest(
    name,
    OPERATIONS.map((operation) => operation.name),
  )
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
  throw new HeddleError('OPERATION_UNKNOWN', {
    message: `There is no such operation${hint}`,
    details: { operations: visible.map((operation) => operation.name) },
  })
}

function logFailure(
  logger: Logger,
  error: HeddleError,
  operation: AnyOperation | undefined,
  ms: number,
): void {
  const fields = { op: operation?.name, ms: Math.round(ms), ...failureFields(error) }
  if (error.status >= 500) logger.error('memory.call_failed', fields)
  else logger.debug('memory.call_refused', fields)
}
