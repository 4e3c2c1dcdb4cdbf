import type { z } from 'zod'

import type { Transaction } from '../engines/postgres/engine.ts'
import type { ScopeKind } from '../identity/scope.ts'
import type { OperationCall, WriteCall } from './call.ts'

/** Who may see and call an operation. */
type Audience = 'agent' | 'consolidator' | 'admin'

interface OperationBase<I extends z.ZodObject, O extends z.ZodType> {
  /** Dotted name, such as `kv.set`. */
  readonly name: string
  /** One line of at most 90 characters: what a model reads to choose. */
  readonly summary: string
  /** A strict object of snake_case fields; unknown fields are refused. */
  readonly input: I
  readonly output: O
  readonly audience: Audience
  /** The scopes it works on; asking for another is `SCOPE_NOT_SERVED`. */
  readonly scopes: readonly ScopeKind[]
  /** A valid `args` value; `help` shows it and a test runs it through `input`. */
  readonly example: z.input<I>
  /** Field names that the command line takes as positional words, in order. */
  readonly positional?: readonly (keyof z.input<I> & string)[]
}

export interface ReadOperation<I extends z.ZodObject, O extends z.ZodType> extends OperationBase<
  I,
  O
> {
  readonly access: 'read'
  /** The scopes that the arguments narrow the call to; undefined or absent: they do not. */
  narrowTo?(input: z.output<I>): readonly ScopeKind[] | undefined
  handle(call: OperationCall, input: z.output<I>): Promise<z.input<O>>
}

/**
 * What an idempotency key keeps of an answer: ids, revisions and counts, never contents. Together
 * with the input of the repeated call (proved equal by hash) it must suffice to rebuild the answer.
 */
export type Receipt = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

export interface WriteOperation<I extends z.ZodObject, O extends z.ZodType> extends OperationBase<
  I,
  O
> {
  readonly access: 'write'
  /** True when the same call twice leaves what it left once. */
  readonly idempotent: boolean
  /** True when it removes or overwrites. */
  readonly destructive: boolean
  /**
   * Calls `call.write` exactly once. Slow preparation (parsing) belongs before it, what must wait
   * for the commit after it.
   */
  handle(call: WriteCall<z.output<I>, z.input<O>>, input: z.output<I>): Promise<z.input<O>>
  /** Picks the receipt out of an answer. */
  toReceipt(output: z.input<O>): Receipt
  /** Rebuilds the answer of a repeated call; undefined when what it wrote has been erased (`IDEMPOTENCY_RESULT_GONE`). */
  fromReceipt(
    tx: Transaction,
    call: OperationCall,
    receipt: Receipt,
    input: z.output<I>,
  ): Promise<z.input<O> | undefined>
}

type Operation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> =
  ReadOperation<I, O> | WriteOperation<I, O>

/**
 * An operation whose schemas are not known statically: what the registry holds. Only the router calls
 * its handler, with what its own schema returned.
 */
export type AnyOperation = Operation

/** Keeps the literal types of a read operation. */
export function defineRead<const N extends string, I extends z.ZodObject, O extends z.ZodType>(
  operation: Omit<ReadOperation<I, O>, 'access'> & { readonly name: N },
): ReadOperation<I, O> & { readonly name: N } {
  return Object.freeze({ ...operation, access: 'read' })
}

/** Keeps the literal types of a write operation. */
export function defineWrite<const N extends string, I extends z.ZodObject, O extends z.ZodType>(
  operation: Omit<WriteOperation<I, O>, 'access'> & { readonly name: N },
): WriteOperation<I, O> & { readonly name: N } {
  return Object.freeze({ ...operation, access: 'write' })
}
