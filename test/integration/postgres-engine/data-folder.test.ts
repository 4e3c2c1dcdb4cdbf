import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { prepareDataFolder } from '../../../src/engines/postgres/embedded/data-folder.ts'
import { openEmbeddedFolder } from '../../support/engines.ts'

describe('a data folder', () => {
  let work: string

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'heddle-folder-'))
    await writeFile(join(work, 'file'), '')
    await mkdir(join(work, 'locked', 'host.lock'), { recursive: true })
  })

  afterAll(() => rm(work, { recursive: true, force: true }))

  it.each([
    ['is a file', () => join(work, 'file'), 'EEXIST'],
    ['lies below a file', () => join(work, 'file', 'below'), 'ENOTDIR'],
    ['cannot be written to', () => join(work, 'locked'), 'EISDIR'],
  ])('that %s is told with its path and the reason', async (_, path, reason) => {
    await expect(openEmbeddedFolder(path())).rejects.toMatchObject({
      code: 'DATA_FOLDER_UNUSABLE',
      retry: 'never',
      message: expect.stringContaining(path()) as unknown,
      details: { data_dir: path(), reason },
    })
  })

  it.runIf(process.platform === 'linux')(
    'below /proc, where nothing can be made, is told and not tried for ever',
    async () => {
      await expect(openEmbeddedFolder('/proc/heddle/data')).rejects.toMatchObject({
        code: 'DATA_FOLDER_UNUSABLE',
        details: { reason: 'ENOENT' },
      })
    },
  )

  it('is made with everything above it, for this user alone, by several at once', async () => {
    const path = join(work, 'a', 'b', 'c')
    const paths = await Promise.all(Array.from({ length: 8 }, () => prepareDataFolder(path)))
    expect(new Set(paths).size).toBe(1)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
  })
})
