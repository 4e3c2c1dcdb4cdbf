/** Entry of the thread in which the database runs. Its parent is {@link DatabaseThread}'s owner. */
import { existsSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'

import { createDatabase } from './create-database.ts'
import { DURABLE_START_PARAMS, DurableNodeFs } from './durable-node-fs.ts'
import type { WorkerInput, WorkerReply, WorkerRequest } from './worker-messages.ts'

/** Output is handed over in pieces of about this size: not one message per 8 KB, not one per result. */
const PIECE_BYTES = 256 * 1024

const port = parentPort
if (port === null) throw new Error('This file is the entry of a worker thread.')

function reply(message: WorkerReply): void {
  const transfer = 'bytes' in message ? [message.bytes.buffer as ArrayBuffer] : []
  port?.postMessage(message, transfer)
}

function join(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

async function runMessages(database: PGlite, bytes: Uint8Array): Promise<void> {
  let pieces: Uint8Array[] = []
  let size = 0
  const onRawData = (data: Uint8Array): void => {
    // The view lies in the module's memory and is overwritten next.
    pieces.push(data.slice())
    size += data.length
    if (size < PIECE_BYTES) return
    reply({ kind: 'output', bytes: join(pieces, size) })
    pieces = []
    size = 0
  }
  await database.execProtocolRawStream(bytes, { onRawData })
  reply({ kind: 'done', bytes: join(pieces, size) })
}

async function handle(database: PGlite, request: WorkerRequest): Promise<void> {
  try {
    if (request.kind === 'run') {
      await runMessages(database, request.bytes)
      return
    }
    await database.close()
    reply({ kind: 'closed' })
  } catch (error) {
    // Only the kind of the failure: its text may hold values.
    reply({ kind: 'failed', reason: error instanceof Error ? error.name : typeof error })
  }
}

const { databaseDir } = workerData as WorkerInput
if (!existsSync(databaseDir)) await createDatabase(databaseDir)
// Without -F, which turns fsync off.
const startParams = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F')
const database = await PGlite.create({
  fs: new DurableNodeFs(databaseDir),
  extensions: { vector },
  relaxedDurability: false,
  startParams: [...startParams, ...DURABLE_START_PARAMS],
})
port.on('message', (request: WorkerRequest) => void handle(database, request))
reply({ kind: 'ready' })
