import type pg from 'pg'

import type { HeddleError } from '../../core/errors.ts'
import type { TransactionPhase } from './classify-error.ts'
import type { EngineCapabilities } from './engine.ts'

/** What differs between a server and an embedded folder; everything else is {@link PooledEngine}. */
export interface EngineTarget {
  readonly capabilities: EngineCapabilities

  /**
   * Called after a connection could not be made or broke under BEGIN, before the next attempt. An
   * embedded folder takes the host's place here when the host is gone.
   *
   * @throws HeddleError when further attempts are useless.
   */
  recover(): Promise<void>

  /** How long an answer may be awaited before {@link explainSilence} is asked, in milliseconds. */
  silenceMs(statementTimeoutMs: number): number

  /** Why no answer comes; undefined when waiting on is right. Takes at most {@link SILENCE_PROBE_MS}. */
  explainSilence(phase: TransactionPhase): Promise<HeddleError | undefined>

  /**
   * Ends the statement that runs on `client`, because its call was given up. Resolves when the other
   * side was told; false when it cannot be told and the connection has to be cut.
   */
  cancelStatement(client: pg.PoolClient): Promise<boolean>

  close(): Promise<void>
}

export const SILENCE_PROBE_MS = 1_000
