import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { PostgresEngine } from '../../../src/engines/postgres/engine.ts'
import { makeDataFolder, openEmbeddedFolder } from '../../support/engines.ts'
import { type Finished, runProgram } from '../support/program.ts'
import { runInProcess } from '../support/run-in-process.ts'

/** What an export must not lose: a byte order mark, mixed line ends, no end of the last line. */
const FILES: Readonly<Record<string, string>> = {
  'a.md': '\ufeff# A\r\n\r\nmixed\nends\r\n',
  'guides/größe 東京.md': '---\ntitle: x\n---\n\n👩‍👩‍👧‍👦 e\u0301 no end',
  'guides/deep/b.md': '\n\n  \n',
}

describe('heddle export', () => {
  let dataDir: string
  let work: string
  /** Hosts the folder, so that each command only has to connect. */
  let host: PostgresEngine

  beforeAll(async () => {
    dataDir = await makeDataFolder()
    host = await openEmbeddedFolder(dataDir)
    work = await mkdtemp(join(tmpdir(), 'heddle-export-'))
    for (const [path, content] of Object.entries(FILES)) {
      const file = join(work, 'in', path)
      await mkdir(join(file, '..'), { recursive: true })
      await writeFile(file, content)
    }
    expect((await heddle(['import', join(work, 'in')])).code).toBe(0)
  })

  afterAll(async () => {
    await host.close()
    await rm(dataDir, { recursive: true, force: true })
    await rm(work, { recursive: true, force: true })
  })

  const heddle = (words: readonly string[], stdin = ''): Promise<Finished> =>
    runInProcess(words, { HEDDLE_DATA_DIR: dataDir }, stdin)

  it('writes one document to standard output, byte for byte', async () => {
    const shown = await runProgram(['export', 'a.md'], { HEDDLE_DATA_DIR: dataDir })
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(Buffer.from(shown.stdout, 'utf8').toString('hex')).toBe(
      (await readFile(join(work, 'in', 'a.md'))).toString('hex'),
    )
  })

  it('writes a folder to files with the same bytes', async () => {
    const out = join(work, 'out')
    const finished = await heddle(['export', '/', '--out', out, '--json'])
    expect(JSON.parse(finished.stdout)).toMatchObject({ ok: true, exported: 3, failed: 0 })
    for (const path of Object.keys(FILES)) {
      expect(await readFile(join(out, path))).toEqual(await readFile(join(work, 'in', path)))
    }
    const below = join(work, 'below')
    await heddle(['export', 'guides/', '--out', below])
    expect((await readdir(below, { recursive: true })).sort()).toEqual([
      'guides',
      'guides/deep',
      'guides/deep/b.md',
      'guides/größe 東京.md',
    ])
  })

  it('writes an earlier revision', async () => {
    await heddle(['import', '-', '--path', 'r.md'], 'First.\r\n')
    await heddle(['import', '-', '--path', 'r.md'], 'Second.\n')
    expect((await heddle(['export', 'r.md', '--revision', '1'])).stdout).toBe('First.\r\n')
    const json = JSON.parse((await heddle(['export', 'r.md', '--json'])).stdout) as unknown
    const hash = createHash('sha256').update('Second.\n').digest('hex')
    expect(json).toMatchObject({ ok: true, result: { content: 'Second.\n', hash, revision: 2 } })
  })

  it('says what it could not export, and exports the others', async () => {
    const out = join(work, 'some')
    const finished = await heddle(['export', 'a.md', 'none.md', '--out', out, '--json'])
    expect(finished.code).not.toBe(0)
    expect(JSON.parse(finished.stdout)).toMatchObject({
      ok: false,
      exported: 1,
      failures: [{ path: 'none.md', code: 'NOT_FOUND' }],
    })
    expect(await readdir(out)).toEqual(['a.md'])
    const alone = await heddle(['export', 'none.md'])
    expect(alone.code).not.toBe(0)
    expect(alone.stdout).toBe('')
    expect(alone.stderr).toContain('NOT_FOUND')
  })

  it.each([
    [['export', 'a.md', 'b.md']],
    [['export', 'guides/']],
    [['export', 'guides/', '--out', 'x', '--revision', '1']],
    [['export', 'a.md', '--revision', 'one']],
    [['export', 'nowhere/', '--out', 'x']],
  ])('refuses %j', async (words) => {
    expect((await heddle(words)).code).not.toBe(0)
  })
})
