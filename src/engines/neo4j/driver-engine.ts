import type { Driver } from 'neo4j-driver'

import { HeddleError } from '../../core/errors.ts'
import type { MigrationReport } from '../postgres/engine.ts'
import { Availability } from './availability.ts'
import { classifyNeo4jError } from './classify-neo4j-error.ts'
import type { Neo4jConfig } from './config.ts'
import type {
  CypherTransaction,
  Neo4jCallOptions,
  Neo4jEngine,
  Neo4jHealth,
  Neo4jResult,
  Neo4jStatus,
} from './engine.ts'
import { Interruption } from './interruption.ts'
import type { Migrator } from './migrator.ts'
import { selectServer } from './server-statements.ts'
import { type AccessMode, toPauseError } from './transaction-attempt.ts'
import type { TransactionRunner } from './transaction-runner.ts'
import { toText } from './values.ts'

export interface DriverEngineDeps {
  readonly driver: Driver
  readonly config: Neo4jConfig
  readonly runner: TransactionRunner
  readonly migrator: Migrator
}

/** How long a close waits for connections whose server may not answer any more. */
const CONNECTION_CLOSE_MS = 2_000

/** Reasons for `ENGINE_UNAVAILABLE` that say nothing about the server being reachable. */
const NOT_ABOUT_CONTACT: readonly unknown[] = ['pool', 'bookmark']

type ServerFacts = Pick<Neo4jHealth, 'version' | 'edition' | 'schemaVersion'>

/** The {@link Neo4jEngine} over the official driver: gate, health and lifetime around the runner. */
export class DriverEngine implements Neo4jEngine {
  readonly #deps: DriverEngineDeps
  readonly #availability: Availability
  readonly #closing = new AbortController()
  #server: ServerFacts = {}
  #closed: Promise<void> | undefined

  constructor(deps: DriverEngineDeps) {
    this.#deps = deps
    const { recheckMs, logger } = deps.config
    this.#availability = new Availability({ recheckMs, logger, check: () => this.#check() })
  }

  get status(): Neo4jStatus {
    return this.#availability.status
  }

  /** The first check. @throws HeddleError when the server cannot be used and the configuration requires it. */
  async start(signal: AbortSignal | undefined): Promise<void> {
    await this.#awaitCheck(signal)
    const { status } = this
    if (status.state === 'up') return
    const isContact = status.code.startsWith('ENGINE_')
    if (this.#deps.config.startup === 'required' || !isContact) this.#availability.throwIfDown()
  }

  withRead<T>(
    options: Neo4jCallOptions,
    fn: (tx: CypherTransaction) => Promise<T>,
  ): Promise<Neo4jResult<T>> {
    return this.#run('read', options, fn)
  }

  withWrite<T>(
    options: Neo4jCallOptions,
    fn: (tx: CypherTransaction) => Promise<T>,
  ): Promise<Neo4jResult<T>> {
    return this.#run('write', options, fn)
  }

  async migrate({ signal }: Pick<Neo4jCallOptions, 'signal'>): Promise<MigrationReport> {
    this.#throwIfClosed()
    const report = await this.#deps.migrator.migrate(signal)
    // A schema that was behind has kept the gate shut until now.
    await this.#awaitCheck(signal)
    return report
  }

  async health({ signal }: Pick<Neo4jCallOptions, 'signal'>): Promise<Neo4jHealth> {
    this.#throwIfClosed()
    await this.#awaitCheck(signal)
    this.#throwIfClosed()
    const { status } = this
    if (status.state === 'up') return { ok: true, ...this.#server }
    const { code, reason } = status
    return { ok: false, ...this.#server, code, ...(reason === undefined ? {} : { reason }) }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #run<T>(
    mode: AccessMode,
    options: Neo4jCallOptions,
    fn: (tx: CypherTransaction) => Promise<T>,
  ): Promise<Neo4jResult<T>> {
    this.#throwIfClosed()
    this.#availability.throwIfDown()
    return this.#deps.runner.run(mode, options, fn, {
      onFailure: (error) => {
        if (isContactDoubtful(error)) this.#availability.suspect()
        return this.status.state === 'up' && this.#closed === undefined
      },
    })
  }

  /** Waits for a check, but not longer than the caller wants to. */
  async #awaitCheck(signal: AbortSignal | undefined): Promise<void> {
    const { migrationTimeoutMs } = this.#deps.config
    const interruption = new Interruption({ signal, timeoutMs: migrationTimeoutMs })
    try {
      await interruption.race(() => this.#availability.check())
    } catch (thrown) {
      throw toPauseError(thrown)
    } finally {
      interruption.dispose()
    }
  }

  /** A pooled connection may have died unnoticed, so one failure to connect is not believed. */
  async #check(): Promise<void> {
    const timeoutMs = 2 * this.#deps.config.connectTimeoutMs
    const interruption = new Interruption({ signal: this.#closing.signal, timeoutMs })
    this.#server = {}
    try {
      await this.#contact(interruption).catch((thrown: unknown) => {
        if (!isContactDoubtful(thrown)) throw thrown
        return this.#contact(interruption)
      })
      await this.#checkSchema(interruption)
    } finally {
      interruption.dispose()
    }
  }

  async #contact(interruption: Interruption): Promise<void> {
    const { driver, config, runner } = this.#deps
    const database = config.database === undefined ? {} : { database: config.database }
    try {
      await interruption.race(() => driver.verifyConnectivity(database))
    } catch (thrown) {
      throw classifyNeo4jError(toPauseError(thrown), { phase: 'begin' })
    }
    const { value } = await runner.run(
      'read',
      this.#checkOptions(interruption),
      (tx) => tx.run(selectServer()),
      { onFailure: () => false },
    )
    this.#server = {
      version: toText(value[0]?.['version']),
      edition: toText(value[0]?.['edition']),
    }
  }

  async #checkSchema(interruption: Interruption): Promise<void> {
    const { migrator, config } = this.#deps
    if (config.schema === 'migrate') await migrator.migrate(this.#closing.signal)
    const schemaVersion = await migrator.readVersion(this.#checkOptions(interruption))
    this.#server = { ...this.#server, schemaVersion }
    if (config.schema === 'check') await migrator.requireCurrent(this.#checkOptions(interruption))
  }

  #checkOptions(interruption: Interruption): Neo4jCallOptions {
    return { signal: this.#closing.signal, timeoutMs: interruption.remainingMs }
  }

  #throwIfClosed(): void {
    if (this.#closed !== undefined) {
      throw new HeddleError('ENGINE_CLOSED', { details: { engine: 'neo4j' } })
    }
  }

  async #close(): Promise<void> {
    const { runner, driver, config } = this.#deps
    this.#closing.abort()
    await Promise.all([
      this.#availability.close(),
      settleWithin(runner.settle(), config.closeGraceMs),
    ])
    runner.interrupt()
    await runner.settle()
    const isClean = await settleWithin(
      runner.settleSessions().then(() => driver.close()),
      CONNECTION_CLOSE_MS,
    )
    if (isClean) return
    config.logger.warn('engine.neo4j_close_unanswered')
    await settleWithin(driver.close(), CONNECTION_CLOSE_MS)
  }
}

/** True when a failure may mean that the server is gone, rather than that it refused something. */
function isContactDoubtful(error: unknown): boolean {
  if (!(error instanceof HeddleError) || error.details['engine'] !== 'neo4j') return false
  if (error.code === 'ENGINE_CONNECTION_LOST') return true
  const { reason } = error.details
  if (error.code === 'ENGINE_STATEMENT_TIMEOUT') return reason === 'deadline'
  return error.code === 'ENGINE_UNAVAILABLE' && !NOT_ABOUT_CONTACT.includes(reason)
}

/** Waits for `work`, at most `limitMs`; tells whether it ended. */
async function settleWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, limitMs, false)
  })
  const ended = work.then(
    () => true,
    () => true,
  )
  const isEnded = await Promise.race([ended, limit])
  clearTimeout(timer)
  return isEnded
}
