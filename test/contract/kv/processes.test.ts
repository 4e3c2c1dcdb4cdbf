import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { describe, expect, it } from 'vitest'

import { makeDataFolder, openEmbeddedFolder } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

const run = promisify(execFile)
const child = fileURLToPath(new URL('../../support/kv-incr-child.ts', import.meta.url))

/** Four new processes that load and open everything, on a machine that may be busy. */
const TIMEOUT_MS = 180_000

describe('kv on one embedded folder', () => {
  it(
    'counts exactly when 4 processes send 20 parallel incr each',
    async () => {
      const dataDir = await makeDataFolder()
      try {
        await using engine = await openEmbeddedFolder(dataDir)
        const heddle = makeTestHeddle(engine)
        const who = await heddle.identity({ user: 'ada' })
        const args = ['--import', 'tsx', child, dataDir, JSON.stringify(who), 'n', '20']
        const outputs = await Promise.all(
          Array.from({ length: 4 }, () => run(process.execPath, args)),
        )
        const values = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as number[])
        expect(values.toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: 80 }, (_, n) => n + 1),
        )
        const held = await heddle.call(who, 'kv.get', { key: 'n' })
        expect(held).toMatchObject({ value: 80, revision: 80 })
      } finally {
        await rm(dataDir, { recursive: true, force: true })
      }
    },
    TIMEOUT_MS,
  )
})
