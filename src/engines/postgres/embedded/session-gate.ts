import type { Socket } from 'node:net'

import type { Logger } from '../../../core/logger.ts'
import { startAwakeTimer } from './awake-timer.ts'
import { GateConnection } from './gate-connection.ts'
import { type HostedDatabase, WorkEnded } from './hosted-database.ts'
import { DISCARD, Housekeeping } from './housekeeping.ts'
import { ReadyScanner, type SessionStatus } from './message-reader.ts'
import { endsWithReady, makeQuery, SYNC } from './protocol.ts'
import { statementLimitOf } from './statement-limit.ts'

/** The Sync comes first: after a failed message the database skips everything up to one. */
const ROLLBACK = Buffer.concat([SYNC, makeQuery('rollback')])
/** Rolling back and discarding is quick or broken. */
const CLEANUP_LIMIT_MS = 10_000

export interface SessionGateOptions {
  /** Work waits until it is open. */
  readonly database: Promise<HostedDatabase>
  /** Limit of a statement whose transaction names none. */
  readonly statementTimeoutMs: number
  readonly idleInTransactionMs: number
  readonly logger: Logger
  /** Called once, when the database cannot be opened any more. */
  readonly onFatal: (error: unknown) => void
}

/**
 * Lends the one session of an embedded database to one connection at a time.
 *
 * A connection waits in line from its first message, and once its turn comes holds the session until
 * the database says that no transaction is open. Then the next one gets it, as a fresh session: what
 * the one before it set, prepared or locked is discarded. When the holder vanishes, stands idle in
 * its transaction for too long, or runs a statement for too long, only it is cut: its transaction is
 * rolled back or lost with the thread, the others stay connected and go on.
 *
 * State: `#line` are connections with work, without duplicates; `#holder` has the session between two
 * of its messages; `#isWorking` while the database works.
 */
export class SessionGate {
  readonly #options: SessionGateOptions
  readonly #connections = new Set<GateConnection>()
  #line: GateConnection[] = []
  #holder: GateConnection | undefined
  #limitMs: number
  #status: SessionStatus = 'I'
  /** Whose traces the session carries; undefined when it is fresh. */
  #lastUser: GateConnection | undefined
  #isWorking = false
  readonly #housekeeping = new Housekeeping(
    async (bytes, limitMs, onOutput) => (await this.#run(bytes, limitMs, onOutput)) === 'done',
  )
  #stopIdleTimer: () => void = () => undefined
  #refusal: { readonly sqlstate: string; readonly message: string } | undefined
  /** While the schema is being prepared only this user is let in. */
  #onlyUser: string | undefined
  #nextId = 1
  #onDrained: (() => void) | undefined

  constructor(options: SessionGateOptions, onlyUser: string) {
    this.#options = options
    this.#limitMs = options.statementTimeoutMs
    this.#onlyUser = onlyUser
    this.#refusal = { sqlstate: '57P03', message: 'The database is starting up.' }
  }

  /** Lets everybody in. */
  open(): void {
    this.#onlyUser = undefined
    this.#refusal = undefined
  }

  accept(socket: Socket): void {
    const connection = new GateConnection(socket, this.#nextId++, {
      admit: (user) => (user === this.#onlyUser ? undefined : this.#refusal),
      onRunnable: () => this.#enqueue(connection),
      onClosed: () => this.#leave(connection),
    })
    this.#connections.add(connection)
  }

  /**
   * Ends the service: nobody gets the session any more, the holder may finish its transaction within
   * `limitMs`, and every connection is cut at the end.
   */
  async drain(limitMs: number): Promise<void> {
    this.#onlyUser = undefined
    this.#refusal = { sqlstate: '57P03', message: 'The database is shutting down.' }
    for (const connection of this.#connections) {
      if (connection !== this.#holder) connection.fail('57P01', 'The database is shutting down.')
    }
    if (this.#isWorking || this.#holder !== undefined) {
      const drained = new Promise<void>((resolve) => (this.#onDrained = resolve))
      const stopTimer = startAwakeTimer(limitMs, () =>
        this.#holder?.fail('57P01', 'The database is shutting down.'),
      )
      await drained
      stopTimer()
    }
    for (const connection of this.#connections) connection.cut()
  }

  #enqueue(connection: GateConnection): void {
    if (connection !== this.#holder && !this.#line.includes(connection)) this.#line.push(connection)
    void this.#work()
  }

  #leave(connection: GateConnection): void {
    this.#connections.delete(connection)
    this.#line = this.#line.filter((waiting) => waiting !== connection)
    if (connection === this.#holder) void this.#work()
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    try {
      while (await this.#step());
    } catch (error) {
      for (const connection of this.#connections) connection.fail('57P02', 'The database is lost.')
      this.#options.onFatal(error)
    } finally {
      this.#isWorking = false
      if (this.#holder === undefined) this.#onDrained?.()
    }
  }

  /** Does the next thing there is to do; false when there is nothing. */
  async #step(): Promise<boolean> {
    if (this.#holder?.isClosed) return this.#takeBack()
    if (this.#holder === undefined) {
      await this.#tidy()
      const next = this.#line.shift()
      if (next === undefined) return false
      this.#holder = next
      this.#limitMs = this.#options.statementTimeoutMs
      if (next !== this.#lastUser) await this.#makeFresh()
      return true
    }
    if (!this.#holder.hasRunnable) return false
    this.#stopIdleTimer()
    await this.#serve(this.#holder)
    return true
  }

  async #serve(connection: GateConnection): Promise<void> {
    const messages = connection.take()
    const [first, last] = [messages[0], messages.at(-1)]
    if (first === undefined || last === undefined) return
    if (this.#status === 'I') {
      this.#limitMs = statementLimitOf(first) ?? this.#options.statementTimeoutMs
    }
    this.#lastUser = connection
    const scanner = new ReadyScanner()
    const outcome = await this.#run(Buffer.concat(messages), this.#limitMs, (bytes) => {
      scanner.push(bytes)
      connection.write(bytes)
    })
    if (outcome !== 'done') {
      this.#endWith(connection, outcome)
      return
    }
    if (scanner.status === undefined && endsWithReady(last)) return this.#giveUpSession(connection)
    this.#status = scanner.status ?? this.#status
    if (scanner.status === 'I') this.#release(connection)
    else this.#startIdleTimer(connection)
  }

  #release(connection: GateConnection): void {
    this.#holder = undefined
    if (this.#onDrained !== undefined) connection.fail('57P01', 'The database is shutting down.')
    // Behind those that wait already.
    else if (connection.hasRunnable) this.#line.push(connection)
  }

  /** After the holder is gone. */
  async #takeBack(): Promise<boolean> {
    this.#stopIdleTimer()
    this.#holder = undefined
    if (this.#lastUser !== undefined) await this.#run(ROLLBACK, CLEANUP_LIMIT_MS, () => undefined)
    this.#status = 'I'
    return true
  }

  async #tidy(): Promise<void> {
    const isQuiet = this.#line.length === 0
    // A session that is fresh has done nothing since it was looked at.
    if (this.#lastUser === undefined || !this.#housekeeping.isDue(isQuiet)) return
    await this.#housekeeping.tidy(isQuiet)
    this.#lastUser = undefined
  }

  async #makeFresh(): Promise<void> {
    if (this.#lastUser === undefined) return
    await this.#run(DISCARD, CLEANUP_LIMIT_MS, () => undefined)
    this.#lastUser = undefined
  }

  /** Has the database work; unless it gets done, the session that follows is a fresh one. */
  async #run(
    bytes: Buffer,
    limitMs: number,
    onOutput: (bytes: Buffer) => void,
  ): Promise<'done' | WorkEnded['reason']> {
    try {
      const database = await this.#options.database
      await database.run(bytes, limitMs, onOutput)
      return 'done'
    } catch (error) {
      if (!(error instanceof WorkEnded)) throw error
      this.#lastUser = undefined
      this.#status = 'I'
      return error.reason
    }
  }

  #endWith(connection: GateConnection, reason: WorkEnded['reason']): void {
    this.#holder = undefined
    if (reason === 'limit') connection.fail('57014', 'The statement ran longer than its limit.')
    else connection.fail('57P02', 'The session broke.')
  }

  /** An answer without an end means that the session is not to be trusted. */
  async #giveUpSession(connection: GateConnection): Promise<void> {
    this.#options.logger.warn('engine.session_broken')
    ;(await this.#options.database).restart()
    this.#lastUser = undefined
    this.#status = 'I'
    this.#endWith(connection, 'lost')
  }

  #startIdleTimer(connection: GateConnection): void {
    const { receivedBytes } = connection
    this.#stopIdleTimer = startAwakeTimer(this.#options.idleInTransactionMs, () => {
      if (connection.hasRunnable || connection !== this.#holder) return
      // A large message takes its time; who sends is not idle.
      if (connection.receivedBytes > receivedBytes) {
        this.#startIdleTimer(connection)
        return
      }
      this.#options.logger.warn('engine.idle_transaction_ended')
      connection.fail('25P03', 'The transaction stood idle for too long.')
    })
  }
}
