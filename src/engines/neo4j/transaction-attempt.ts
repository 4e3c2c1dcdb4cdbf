import type { ManagedTransaction, Session, Transaction } from 'neo4j-driver'

import { HeddleError } from '../../core/errors.ts'
import {
  classifyNeo4jError,
  isRetriableFailure,
  type TransactionPhase,
} from './classify-neo4j-error.ts'
import type { CypherTransaction, Neo4jResult } from './engine.ts'
import { Interrupted, type Interruption, type InterruptReason } from './interruption.ts'
import type { CypherRecord, CypherStatement } from './statement.ts'
import { assertBindable, toCypherRecord } from './values.ts'

export type AccessMode = 'read' | 'write'

export interface AttemptContext {
  readonly session: Session
  readonly mode: AccessMode
  readonly interruption: Interruption
}

export type AttemptOutcome<T> =
  | { readonly kind: 'done'; readonly result: Neo4jResult<T> }
  | { readonly kind: 'failed'; readonly error: unknown; readonly isRetriable: boolean }

/** What one attempt leaves behind while it runs, so that its failure can be judged. */
interface Progress {
  phase: TransactionPhase | 'over'
  /** The first driver error of a statement: the server has given the transaction up since. */
  failure?: { readonly thrown: unknown; readonly error: unknown }
}

/** One transaction in one session: begin, work, commit. Never throws; the caller closes the session. */
export async function attemptTransaction<T>(
  context: AttemptContext,
  fn: (tx: CypherTransaction) => Promise<T>,
): Promise<AttemptOutcome<T>> {
  const progress: Progress = { phase: 'begin' }
  try {
    return { kind: 'done', result: await proceed(context, progress, fn) }
  } catch (thrown) {
    return judge(thrown, progress)
  } finally {
    progress.phase = 'over'
  }
}

async function proceed<T>(
  { session, mode, interruption }: AttemptContext,
  progress: Progress,
  fn: (tx: CypherTransaction) => Promise<T>,
): Promise<Neo4jResult<T>> {
  // The server gets the limit too: it must end the work of a client that has gone silent.
  const timeout = interruption.remainingMs
  const tx = await interruption.race<Transaction>(() => session.beginTransaction({ timeout }))
  progress.phase = 'work'
  const value = await interruption.race(() => fn(lendTransaction(tx, interruption, progress)))
  // A callback that swallowed a failed statement must not pass for a success.
  if (progress.failure !== undefined) throw progress.failure.error
  if (mode === 'write') {
    progress.phase = 'commit'
    await interruption.raceCommit(() => tx.commit())
  } else {
    await interruption.race(() => tx.commit())
  }
  return { value, bookmarks: session.lastBookmarks() }
}

function lendTransaction(
  tx: Pick<ManagedTransaction, 'run'>,
  interruption: Interruption,
  progress: Progress,
): CypherTransaction {
  return { run: (statement) => runStatement(tx, interruption, progress, statement) }
}

async function runStatement(
  tx: Pick<ManagedTransaction, 'run'>,
  interruption: Interruption,
  progress: Progress,
  statement: CypherStatement,
): Promise<readonly CypherRecord[]> {
  assertBindable(statement)
  const { name, text, values } = statement
  try {
    interruption.throwIfInterrupted()
    if (progress.phase !== 'work') throw transactionOver(name)
    const { records } = await interruption.race(() => tx.run(text, values))
    return records.map((record) => toCypherRecord(name, record.toObject()))
  } catch (thrown) {
    if (thrown instanceof Interrupted) throw toInterruptError(thrown.reason, 'work', name)
    const error = classifyNeo4jError(thrown, { phase: 'work', statement: name })
    if (error !== thrown) progress.failure ??= { thrown, error }
    throw error
  }
}

function judge(thrown: unknown, { phase, failure }: Progress): AttemptOutcome<never> {
  const at = phase === 'over' ? 'work' : phase
  if (thrown instanceof Interrupted) {
    return { kind: 'failed', error: toInterruptError(thrown.reason, at), isRetriable: false }
  }
  return {
    kind: 'failed',
    error: classifyNeo4jError(thrown, { phase: at }),
    isRetriable: isRetriableFailure(failure?.thrown ?? thrown, at),
  }
}

/** The statement's text and values are as good as ever; the caller used them too late. */
function transactionOver(statement: string): HeddleError {
  return new HeddleError('ENGINE_FAILED', {
    message: 'A graph statement was run after its transaction had ended.',
    details: { engine: 'neo4j', statement, reason: 'transaction_over' },
  })
}

function toInterruptError(
  reason: InterruptReason,
  phase: TransactionPhase,
  statement?: string,
): HeddleError {
  const details = { engine: 'neo4j', reason, ...(statement === undefined ? {} : { statement }) }
  if (reason === 'cancelled') return new HeddleError('CANCELLED', { details })
  if (phase === 'commit') return new HeddleError('ENGINE_CONNECTION_LOST', { details })
  if (reason === 'closing') return new HeddleError('ENGINE_CLOSED', { details })
  if (phase === 'begin') return new HeddleError('ENGINE_UNAVAILABLE', { details })
  return new HeddleError('ENGINE_STATEMENT_TIMEOUT', { details })
}

/** The error of a call that was interrupted between two attempts. */
export function toPauseError(thrown: unknown): unknown {
  return thrown instanceof Interrupted ? toInterruptError(thrown.reason, 'begin') : thrown
}
