import type { Logger } from '../../../core/logger.ts'
import { startAwakeTimer } from './awake-timer.ts'
import { DatabaseWorker, ThreadLost } from './database-worker.ts'

/** Beyond the limit that was set, so that a statement which just fits is not cut. */
const GRACE_MS = 250

/** Why a piece of work was not finished: it ran too long, or the thread broke under it. */
export class WorkEnded extends Error {
  override readonly name = 'WorkEnded'
  readonly reason: 'limit' | 'lost'

  constructor(reason: 'limit' | 'lost') {
    super(reason)
    this.reason = reason
  }
}

/**
 * The database behind the gate. WebAssembly cannot be interrupted, so work that exceeds its limit is
 * ended together with its thread, and a new thread opens the folder again: to the database that is
 * a crash, from which it recovers by its log. Only the work that ran is lost.
 */
export class HostedDatabase {
  readonly #databaseDir: string
  readonly #logger: Logger
  #worker: Promise<DatabaseWorker>

  private constructor(databaseDir: string, logger: Logger, worker: DatabaseWorker) {
    this.#databaseDir = databaseDir
    this.#logger = logger
    this.#worker = Promise.resolve(worker)
  }

  static async open(databaseDir: string, logger: Logger): Promise<HostedDatabase> {
    return new HostedDatabase(databaseDir, logger, await DatabaseWorker.open({ databaseDir }))
  }

  /**
   * Runs protocol messages, one call at a time.
   *
   * @throws WorkEnded when they were not finished; the session that follows is a new one. Any other
   * error means that the database cannot be opened any more.
   */
  async run(bytes: Buffer, limitMs: number, onOutput: (bytes: Buffer) => void): Promise<void> {
    const worker = await this.#worker
    let reason: WorkEnded['reason'] = 'lost'
    const stopTimer = startAwakeTimer(limitMs + GRACE_MS, () => {
      reason = 'limit'
      void worker.terminate()
    })
    try {
      await worker.run(bytes, onOutput)
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error
      this.#reopen(worker, reason, error)
      throw new WorkEnded(reason)
    } finally {
      stopTimer()
    }
  }

  /** Gives the session up and opens a new one, for when its state is not to be trusted. */
  restart(): void {
    const previous = this.#worker
    this.#worker = previous.then((worker) => this.#open(worker))
    this.#worker.catch(() => undefined)
  }

  async close(): Promise<void> {
    const worker = await this.#worker.catch(() => undefined)
    await worker?.close()
  }

  #reopen(lost: DatabaseWorker, reason: WorkEnded['reason'], error: ThreadLost): void {
    this.#logger.warn('engine.database_reopened', { reason, cause: error.message })
    this.#worker = this.#open(lost)
    this.#worker.catch(() => undefined)
  }

  async #open(previous: DatabaseWorker): Promise<DatabaseWorker> {
    // Two threads on one folder would destroy it.
    await previous.terminate()
    return DatabaseWorker.open({ databaseDir: this.#databaseDir })
  }
}
