import type { WireError } from '../core/errors.ts'
import type { ScopeKind } from '../identity/scope.ts'

/** A remark on a call that went well, such as "arguments came as text". */
export interface Note {
  readonly code: string
  readonly message: string
}

export interface MemorySuccess<Result = unknown> {
  readonly ok: true
  readonly op: string
  /** A read: the scopes it looked in, from narrow to wide. A write: the one it wrote to. */
  readonly scopes: readonly ScopeKind[]
  readonly result: Result
  readonly notes: readonly Note[]
}

export interface MemoryFailure {
  readonly ok: false
  /** Absent when the request did not say. */
  readonly op?: string
  readonly error: WireError
  /** For bad input: the JSON Schema of the operation's `args`. */
  readonly args_schema?: Readonly<Record<string, unknown>>
}

/** What every surface answers to a call of the `memory` tool. */
export type MemoryReply<Result = unknown> = MemorySuccess<Result> | MemoryFailure
