/** A process of its own on a data folder, for the tests beside it: opens it and does what it is told over IPC. */
import { toHeddleError } from '../../../src/core/errors.ts'
import { SILENT_LOGGER } from '../../../src/core/logger.ts'
import { DEFAULT_EMBEDDED_SETTINGS } from '../../../src/engines/postgres/config.ts'
import { openEmbeddedEngine } from '../../../src/engines/postgres/embedded/embedded-engine.ts'
import type { PooledEngine } from '../../../src/engines/postgres/pooled-engine.ts'
import type { Statement, StatementValue } from '../../../src/engines/postgres/statement.ts'
import { NO_SCOPES } from '../../../src/identity/scope.ts'

export type FolderCommand =
  /** Adds one, `count` times at once. */
  | { readonly kind: 'increment'; readonly count: number }
  /** Writes rows `from` to `to` one by one, each until it is acknowledged, and reports each. */
  | { readonly kind: 'write'; readonly from: number; readonly to: number }
  /** Opens a transaction, says so, and holds it for `ms`. */
  | { readonly kind: 'hold'; readonly ms: number }
  | { readonly kind: 'close' }

export type FolderReport =
  | { readonly kind: 'open'; readonly isHost: boolean }
  | { readonly kind: 'failed'; readonly code: string }
  /** It became the host. */
  | { readonly kind: 'hosting' }
  | { readonly kind: 'written'; readonly id: number; readonly attempts: number }
  | { readonly kind: 'holding' }
  | { readonly kind: 'done'; readonly code?: string }

const NOTHING = { read: NO_SCOPES, write: NO_SCOPES }
const [dataDir = ''] = process.argv.slice(2)
let isHost = false

function report(message: FolderReport): void {
  process.send?.(message)
}

function sql(text: string, ...values: StatementValue[]): Statement {
  return { name: 'test.statement', text, values }
}

async function write(engine: PooledEngine, id: number): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      await engine.withTransaction(NOTHING, {}, (tx) =>
        tx.execute(
          sql('insert into heddle.test_written (id) values ($1::int) on conflict do nothing', id),
        ),
      )
      report({ kind: 'written', id, attempts })
      return
    } catch (error) {
      if (toHeddleError(error).retry === 'never') throw error
    }
  }
}

async function obey(engine: PooledEngine, command: FolderCommand): Promise<void> {
  switch (command.kind) {
    case 'increment': {
      const increment = sql('update heddle.test_counter set value = value + 1')
      const calls = Array.from({ length: command.count }, () =>
        engine.withTransaction(NOTHING, {}, (tx) => tx.execute(increment)),
      )
      await Promise.all(calls)
      return
    }
    case 'write':
      for (let id = command.from; id <= command.to; id++) await write(engine, id)
      return
    case 'hold':
      return engine.withTransaction(NOTHING, {}, async (tx) => {
        await tx.execute(sql('update heddle.test_counter set value = value + 1000'))
        report({ kind: 'holding' })
        await new Promise((resolve) => setTimeout(resolve, command.ms))
        await tx.query(sql('select 1'))
      })
    case 'close':
      await engine.close()
      process.disconnect()
  }
}

try {
  const engine = await openEmbeddedEngine({
    ...DEFAULT_EMBEDDED_SETTINGS,
    kind: 'embedded',
    dataDir,
    // The host answers for everybody, and the machine may be busy with other suites.
    connectTimeoutMs: 30_000,
    logger: {
      ...SILENT_LOGGER,
      info: (event) => {
        if (event !== 'engine.host_started') return
        isHost = true
        report({ kind: 'hosting' })
      },
    },
  })
  process.on('message', (command: FolderCommand) => {
    obey(engine, command).then(
      () => command.kind !== 'close' && report({ kind: 'done' }),
      (error: unknown) => report({ kind: 'done', code: toHeddleError(error).code }),
    )
  })
  report({ kind: 'open', isHost })
} catch (error) {
  report({ kind: 'failed', code: toHeddleError(error).code })
  process.disconnect()
}
