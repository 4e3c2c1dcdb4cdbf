import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

import type { PostgresEngine, Transaction } from '../../../src/engines/postgres/engine.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { withAdmin } from '../../support/database.ts'
import { readDocumentRows } from '../../support/document-rows.ts'
import { makeDataFolder, openEmbeddedFolder, TEST_ENGINES } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'
import { makeInterruptedEngine } from '../../support/interrupted-engine.ts'
import { describeWith } from '../../support/services.ts'

const child = fileURLToPath(new URL('../../support/import-child.ts', import.meta.url))

/** Many calls that fail on purpose, or new processes that open everything, on a machine that may be busy. */
const TIMEOUT_MS = 240_000

const OLD = '# A\n\n[[b]] old words.\n\n## Two\n\nStays.\n\n## Gone\n\nGoes away.\n'
const NEW =
  '---\ntags: [x]\n---\n\n# A\n\n[[c]] new words.\n\n## Two\n\nStays.\n\n## Three\n\nComes.\n'
const path = 'a.md'

const BACKEND = { name: 'test.backend', text: 'select pg_backend_pid() as pid', values: [] }

/** What makes the one document into the other, in one call each. */
const CHANGES = [
  ['doc.import', { path, content: NEW, chunk_tokens: 100 }],
  ['doc.update', { path, content: NEW, if_revision: 1, title: 'New' }],
  ['doc.move', { path, to: 'b.md' }],
] as const

for (const name of ['postgres18', 'postgres15'] as const) {
  describeWith(name)(`a call that is cut off (${name})`, () => {
    it.each(CHANGES)(
      '%s leaves the old document when its connection ends ahead of any statement',
      async (op, args) => {
        const opener = TEST_ENGINES.find((one) => one.name === name)
        await using opened = await opener?.open()
        if (opened?.database === undefined) throw new Error('this engine is on a server')
        const { engine, database } = opened
        const me = await makeTestHeddle(engine).identity()
        await makeTestHeddle(engine).call(me, 'doc.import', { path, content: OLD })
        const before = await readDocumentRows(engine, me)
        let failures = 0
        for (let cut = 1; ; cut += 1) {
          const interrupted = makeInterruptedEngine(engine, async (statement, tx) => {
            if (statement === cut) await endConnection(database.adminUrl, tx)
          })
          const reply = await makeTestHeddle(interrupted).reply(me, op, args)
          if (reply.ok) break
          expect(['ENGINE_CONNECTION_LOST', 'ENGINE_UNAVAILABLE']).toContain(reply.error.code)
          expect(await readDocumentRows(engine, me)).toEqual(before)
          failures += 1
        }
        expect(failures).toBeGreaterThan(8)
        expect(await readDocumentRows(engine, me)).not.toEqual(before)
      },
      TIMEOUT_MS,
    )

    it(
      'doc.create leaves nothing',
      async () => {
        const opener = TEST_ENGINES.find((one) => one.name === name)
        await using opened = await opener?.open()
        if (opened?.database === undefined) throw new Error('this engine is on a server')
        const { engine, database } = opened
        const me = await makeTestHeddle(engine).identity()
        await makeTestHeddle(engine).call(me, 'doc.import', { path: 'other.md', content: OLD })
        const before = await readDocumentRows(engine, me)
        const args = { path, content: NEW, type: 'note' }
        for (let cut = 1; ; cut += 1) {
          const interrupted = makeInterruptedEngine(engine, async (statement, tx) => {
            if (statement === cut) await endConnection(database.adminUrl, tx)
          })
          const reply = await makeTestHeddle(interrupted).reply(me, 'doc.create', args)
          if (reply.ok) break
          expect(await readDocumentRows(engine, me)).toEqual(before)
        }
        const { content } = await makeTestHeddle(engine).call(me, 'doc.get', { path })
        expect(content).toBe(NEW)
      },
      TIMEOUT_MS,
    )
  })
}

describe('an import whose process is killed', () => {
  it(
    'leaves the old document or the new one, wherever it was',
    async () => {
      const dataDir = await makeDataFolder()
      try {
        const me = await prepare(dataDir)
        const before = await readRows(dataDir, me)
        const args = { path, content: NEW }
        const total = await countStatements(dataDir, me)
        for (const cut of [Math.ceil(total / 3), Math.ceil((2 * total) / 3), total]) {
          expect(await runChild(dataDir, me, args, cut)).toBe('SIGKILL')
          expect(await readRows(dataDir, me)).toEqual(before)
        }
        expect(await runChild(dataDir, me, args, 0)).toBe(0)
        await withFolder(dataDir, async (engine) => {
          const got = await makeTestHeddle(engine).call(me, 'doc.get', { path })
          expect(got).toMatchObject({ content: NEW, revision: 2 })
        })
      } finally {
        await rm(dataDir, { recursive: true, force: true })
      }
    },
    TIMEOUT_MS,
  )
})

/** Ends the server process of a transaction, as a crash of either side does. */
async function endConnection(adminUrl: string, tx: Transaction): Promise<void> {
  const [row] = await tx.query(BACKEND)
  await withAdmin(adminUrl, (admin) =>
    admin.query('select pg_terminate_backend($1)', [row?.['pid']]),
  )
}

async function withFolder<T>(
  dataDir: string,
  use: (engine: PostgresEngine) => Promise<T>,
): Promise<T> {
  await using engine = await openEmbeddedFolder(dataDir)
  return await use(engine)
}

function prepare(dataDir: string): Promise<Identity> {
  return withFolder(dataDir, async (engine) => {
    const heddle = makeTestHeddle(engine)
    const me = await heddle.identity()
    await heddle.call(me, 'doc.import', { path, content: OLD })
    return me
  })
}

function readRows(dataDir: string, me: Identity) {
  return withFolder(dataDir, (engine) => readDocumentRows(engine, me))
}

/** How many statements the import takes, the commit included; of another tenant, so that nothing changes here. */
function countStatements(dataDir: string, me: Identity): Promise<number> {
  return withFolder(dataDir, async (engine) => {
    const other = await makeTestHeddle(engine).identity()
    expect(other.tenantId).not.toBe(me.tenantId)
    await makeTestHeddle(engine).call(other, 'doc.import', { path, content: OLD })
    let total = 0
    const counting = makeInterruptedEngine(engine, (statement) => {
      total = statement
      return Promise.resolve()
    })
    await makeTestHeddle(counting).call(other, 'doc.import', { path, content: NEW })
    return total
  })
}

/** How a process ended that imports and, at a statement, kills itself: its signal, else its code. */
async function runChild(
  dataDir: string,
  me: Identity,
  args: unknown,
  cut: number,
): Promise<NodeJS.Signals | number | null> {
  const words = [dataDir, JSON.stringify(me), 'doc.import', JSON.stringify(args), String(cut)]
  const running = spawn(process.execPath, ['--import', 'tsx', child, ...words], { stdio: 'ignore' })
  const [code, signal] = (await once(running, 'exit')) as [number | null, NodeJS.Signals | null]
  return signal ?? code
}
