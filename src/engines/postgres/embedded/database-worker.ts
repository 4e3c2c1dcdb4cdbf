import type { Worker } from 'node:worker_threads'

import { startThread } from '../../../core/start-thread.ts'
import type { WorkerInput, WorkerReply, WorkerRequest } from './worker-messages.ts'

/** The thread ended, or said that it cannot go on; what it was doing has no known outcome. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost'
}

interface PendingRequest {
  readonly ends: 'ready' | 'done' | 'closed'
  readonly onOutput: (bytes: Buffer) => void
  readonly resolve: () => void
  readonly reject: (error: ThreadLost) => void
}

/** The thread that runs the database. It works on one request at a time. */
export class DatabaseWorker {
  readonly #worker: Worker
  #pending: PendingRequest | undefined
  #lost: ThreadLost | undefined

  private constructor(worker: Worker) {
    this.#worker = worker
    worker.on('message', (reply: WorkerReply) => this.#onReply(reply))
    worker.on('error', (error) => this.#onLost(this.#describe(error)))
    worker.on('exit', (code) => this.#onLost(`exit ${String(code)}`))
    // Standard output belongs to protocols; what the module prints is of no use to anybody.
    worker.stdout.resume()
    worker.stderr.resume()
  }

  /** Starts the thread and opens the database, which is made when it is missing. */
  static async open(input: WorkerInput): Promise<DatabaseWorker> {
    const thread = startThread(new URL('./database-thread.ts', import.meta.url), {
      name: 'heddle-database',
      workerData: input,
      stdout: true,
      stderr: true,
    })
    const worker = new DatabaseWorker(thread)
    try {
      await worker.#expect('ready', () => undefined)
    } catch (error) {
      await worker.terminate()
      throw error
    }
    return worker
  }

  /** Hands over whole protocol messages; `onOutput` gets the answer piece by piece. */
  run(bytes: Buffer, onOutput: (bytes: Buffer) => void): Promise<void> {
    const done = this.#expect('done', onOutput)
    // A copy of its own: what comes from a socket lies in a pool that other buffers share.
    const copy = new Uint8Array(bytes)
    this.#post({ kind: 'run', bytes: copy }, [copy.buffer])
    return done
  }

  /** Shuts the database down in good order and ends the thread. */
  async close(): Promise<void> {
    const closed = this.#expect('closed', () => undefined)
    this.#post({ kind: 'close' }, [])
    await closed.catch(() => undefined)
    await this.terminate()
  }

  /** Ends the thread where it stands, also in the middle of a statement. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #post(request: WorkerRequest, transfer: ArrayBuffer[]): void {
    this.#worker.postMessage(request, transfer)
  }

  #expect(ends: PendingRequest['ends'], onOutput: (bytes: Buffer) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#lost !== undefined) reject(this.#lost)
      else this.#pending = { ends, onOutput, resolve, reject }
    })
  }

  #onReply(reply: WorkerReply): void {
    const pending = this.#pending
    if (reply.kind === 'failed') {
      this.#onLost(reply.reason)
      return
    }
    if ('bytes' in reply && reply.bytes.length > 0)
      pending?.onOutput(Buffer.from(reply.bytes.buffer))
    if (reply.kind !== pending?.ends) return
    this.#pending = undefined
    pending.resolve()
  }

  /** While the database opens there is no content that the text could tell. */
  #describe(error: Error): string {
    return this.#pending?.ends === 'ready' ? error.message : error.name
  }

  #onLost(reason: string): void {
    this.#lost ??= new ThreadLost(reason)
    this.#pending?.reject(this.#lost)
    this.#pending = undefined
  }
}
