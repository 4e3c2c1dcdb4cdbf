import type { NewId } from '../core/ids.ts'
import type { Transaction } from '../engines/postgres/engine.ts'
import type { Identity } from '../identity/identity.ts'
import type { ScopeRef, ScopeSet } from '../identity/scope.ts'
import type { Provenance } from '../provenance/provenance.ts'
import type { Limits } from './limits.ts'

/** Everything one call may use, made by the router; nothing else reaches a handler. */
export interface OperationCall {
  readonly identity: Identity
  readonly provenance: Provenance
  /** The scopes this call reads, from narrow to wide: the one that was asked for, else all the identity may read that the operation serves. */
  readonly read: ScopeSet
  readonly limits: Limits
  readonly newId: NewId
  readonly signal: AbortSignal
  /** Adds a remark to the reply, such as what was trimmed. */
  note(code: string, message: string): void
  /** Runs `fn` in a read-only transaction over `read`. */
  readTransaction<T>(fn: (tx: Transaction) => Promise<T>): Promise<T>
}

/** A call of a write operation. */
export interface WriteCall<Input, Output> extends OperationCall {
  /** Where the record goes: the scope that was asked for, else the narrowest. Always part of `read`. */
  readonly target: ScopeRef
  /**
   * Runs `fn` in the one transaction of this call, in which an idempotency key is claimed before and
   * its receipt stored after `fn`. A repeated key does not run `fn`: its answer is rebuilt. `fn` may
   * run again after `ENGINE_BUSY`, so it must change nothing outside `tx`.
   */
  write(fn: (tx: Transaction) => Promise<Output>): Promise<Output>
  /** Only carries the input type to `fromReceipt`. */
  readonly input: Input
}
