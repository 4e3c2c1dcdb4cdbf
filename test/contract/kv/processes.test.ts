import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { describe, expect, it } from 'vitest'

import { makeDataFolder, openEmbeddedFolder } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'
import type { KvHeddle } from './describe-kv.ts'

const run = promisify(execFile)
const child = fileURLToPath(new URL('../../support/kv-incr-child.ts', import.meta.url))

describe('kv on one embedded folder', () => {
  it('counts exactly when 4 processes send 20 parallel incr each', async () => {
    const dataDir = await makeDataFolder()
    try {
      const who = await withHeddle(dataDir, ({ identity }) => identity({ user: 'ada' }))
      const args = ['--import', 'tsx', child, dataDir, JSON.stringify(who), 'n', '20']
      const outputs = await Promise.all(
        Array.from({ length: 4 }, () => run(process.execPath, args)),
      )
      const values = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as number[])
      expect(values.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, n) => n + 1))
      const held = await withHeddle(dataDir, ({ call }) => call(who, 'kv.get', { key: 'n' }))
      expect(held).toMatchObject({ value: 80, revision: 80 })
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})

async function withHeddle<T>(
  dataDir: string,
  use: (heddle: KvHeddle) => Promise<T>,
): Promise<T> {
  await using engine = await openEmbeddedFolder(dataDir)
  return await use(makeTestHeddle(engine))
}
