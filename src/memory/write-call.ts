import { HeddleError } from '../core/errors.ts'
import type { PostgresEngine, Transaction } from '../engines/postgres/engine.ts'
import type { ScopeRef } from '../identity/scope.ts'
import { makeScopeSet } from '../identity/scope.ts'
import type { OperationCall, WriteCall } from '../operation/call.ts'
import type { AnyOperation } from '../operation/definition.ts'
import { claimKey, idempotencyBody, storeReceipt } from './idempotency.ts'

/** How often a transaction that the engine gave up (`ENGINE_BUSY`) is run again. */
const MAX_ATTEMPTS = 6

type AnyWrite = Extract<AnyOperation, { readonly access: 'write' }>

export interface WriteCallParts {
  readonly engine: PostgresEngine
  readonly base: OperationCall
  readonly operation: AnyWrite
  readonly target: ScopeRef
  readonly input: Record<string, unknown>
  readonly idempotencyKey?: string
}

/** The call of a write operation: its `write` claims the idempotency key, runs the work and stores the receipt in one transaction. */
export function makeWriteCall(parts: WriteCallParts): WriteCall<Record<string, unknown>, unknown> {
  const { engine, base, target, input } = parts
  const access = {
    read: base.read,
    write: makeScopeSet([target]),
    provenance: base.provenance,
  }
  const write = (fn: (tx: Transaction) => Promise<unknown>): Promise<unknown> =>
    withBusyRetries(base.signal, () =>
      engine.withTransaction(access, { signal: base.signal }, (tx) => writeOnce(parts, tx, fn)),
    )
  return { ...base, target, input, write }
}

async function writeOnce(
  parts: WriteCallParts,
  tx: Transaction,
  fn: (tx: Transaction) => Promise<unknown>,
): Promise<unknown> {
  const { operation, target, idempotencyKey: key, base, input } = parts
  if (key === undefined) return fn(tx)
  const held = await claimKey(tx, target, operation.name, key, idempotencyBody(input))
  if (held !== undefined) {
    base.note('idempotent_replay', 'This call was done before; this is its answer')
    const answer = await operation.fromReceipt(tx, base, held, input)
    if (answer === undefined) throw new HeddleError('IDEMPOTENCY_RESULT_GONE')
    return answer
  }
  const output = await fn(tx)
  await storeReceipt(tx, target, operation.name, key, operation.toReceipt(output))
  return output
}

/** Nothing of a transaction that failed with `ENGINE_BUSY` was kept, so running it again is safe. */
async function withBusyRetries<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const busy = error instanceof HeddleError && error.code === 'ENGINE_BUSY'
      if (!busy || attempt === MAX_ATTEMPTS || signal.aborted) throw error
      await pause(Math.random() * 10 * 2 ** attempt)
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
