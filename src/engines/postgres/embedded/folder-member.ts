import { once } from 'node:events'
import net from 'node:net'
import { join } from 'node:path'

import { HeddleError } from '../../../core/errors.ts'
import type { TransactionPhase } from '../classify-error.ts'
import type { EmbeddedEngineConfig } from '../config.ts'
import { type EngineTarget, SILENCE_PROBE_MS } from '../engine-target.ts'
import { LOCK_FILE } from './data-folder.ts'
import { FolderHost } from './folder-host.ts'
import { HostLock } from './host-lock.ts'
import { SSL_CODE } from './protocol.ts'
import { socketPathOf } from './socket-folder.ts'

export interface FolderMemberOptions {
  readonly config: EmbeddedEngineConfig
  readonly realDataDir: string
  readonly socketFolder: string
}

/**
 * One process's part in a data folder that several may open. Whoever holds the kernel lock hosts;
 * everybody, the host included, works through the host's socket. The lock is asked for only when the
 * socket does not answer properly, so a host is replaced when it is gone and never because it is slow.
 */
export class FolderMember implements EngineTarget {
  readonly capabilities = Object.freeze({ concurrentTransactions: false, remote: false })
  readonly #options: FolderMemberOptions
  #host: FolderHost | undefined
  #attempt: Promise<void> | undefined
  #isClosed = false

  constructor(options: FolderMemberOptions) {
    this.#options = options
  }

  get isHost(): boolean {
    return this.#host !== undefined
  }

  /** Becomes the host if nobody is; all waiting calls share one attempt. */
  recover(): Promise<void> {
    this.#attempt ??= this.#tryToHost().finally(() => {
      this.#attempt = undefined
    })
    return this.#attempt
  }

  silenceMs(): number {
    return this.#options.config.connectTimeoutMs / 2
  }

  async explainSilence(phase: TransactionPhase): Promise<HeddleError | undefined> {
    if (await this.#isHostAnswering()) return undefined
    return new HeddleError(
      // Nobody knows what became of a commit that was sent.
      phase === 'commit' ? 'ENGINE_CONNECTION_LOST' : 'ENGINE_HOST_UNRESPONSIVE',
      { details: { dataDir: this.#options.config.dataDir } },
    )
  }

  /** WebAssembly cannot be interrupted: the connection is cut, and the host rolls back when the statement is over. */
  cancelStatement(): Promise<boolean> {
    return Promise.resolve(false)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#attempt?.catch(() => undefined)
    await this.#host?.close()
    this.#host = undefined
  }

  async #tryToHost(): Promise<void> {
    if (this.#host !== undefined || this.#isClosed) return
    try {
      await this.#hostIfLockIsFree()
    } catch (error) {
      throw toHostError(error)
    }
  }

  async #hostIfLockIsFree(): Promise<void> {
    const { realDataDir, config } = this.#options
    const lock = await HostLock.tryAcquire(join(realDataDir, LOCK_FILE))
    if (lock === undefined) return
    const startedAt = performance.now()
    this.#host = await FolderHost.start({
      ...this.#options,
      lock,
      onEnded: () => {
        this.#onEnded()
      },
    })
    const ms = Math.round(performance.now() - startedAt)
    config.logger.info('engine.host_started', { ms })
  }

  #onEnded(): void {
    const host = this.#host
    this.#host = undefined
    void host?.close().catch(() => undefined)
  }

  /** Any answer will do: a host that starts, works or shuts down answers this at once, a suspended one never. */
  async #isHostAnswering(): Promise<boolean> {
    const socket = net.connect(socketPathOf(this.#options.socketFolder))
    const signal = AbortSignal.timeout(SILENCE_PROBE_MS)
    // Also after the wait is over.
    socket.on('error', () => undefined)
    const question = Buffer.alloc(8)
    question.writeInt32BE(8, 0)
    question.writeInt32BE(SSL_CODE, 4)
    try {
      socket.write(question)
      await once(socket, 'data', { signal })
      return true
    } catch {
      return false
    } finally {
      socket.destroy()
    }
  }
}

function toHostError(error: unknown): HeddleError {
  if (error instanceof HeddleError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new HeddleError('ENGINE_UNAVAILABLE', {
    message: 'The embedded database does not open.',
    details: { reason },
    cause: error,
  })
}
