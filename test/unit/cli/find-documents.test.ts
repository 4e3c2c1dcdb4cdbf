import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { findDocuments } from '../../../src/cli/find-documents.ts'

const ALL = { include: [], exclude: [] }

describe('finding documents', () => {
  let root: string

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'heddle-find-'))
    for (const name of [
      'b.md',
      'a/größe.md',
      'a/x.txt',
      '.git/c.md',
      'node_modules/d.md',
      'a/.e.md',
    ]) {
      await mkdir(dirname(join(root, name)), { recursive: true })
      await writeFile(join(root, name), name)
    }
  })

  afterEach(() => rm(root, { recursive: true }))

  it('finds Markdown below a folder, without hidden and installed files', async () => {
    const found = await findDocuments([root], ALL)
    expect(found.map(({ path }) => path)).toEqual(['a/größe.md', 'b.md'])
  })

  it('follows include, exclude and prefix', async () => {
    const include = await findDocuments([root], {
      include: ['*.txt', '*.md'],
      exclude: ['b.*'],
      prefix: 'in/',
    })
    expect(include.map(({ path }) => path)).toEqual(['in/a/größe.md', 'in/a/x.txt'])
  })

  it('takes a file that is named itself, whatever its ending', async () => {
    const found = await findDocuments([join(root, 'a/x.txt')], ALL)
    expect(found.map(({ path }) => path)).toEqual(['x.txt'])
  })

  it('does not follow symbolic links into circles', async () => {
    await symlink(root, join(root, 'a/loop'))
    expect(await findDocuments([root], ALL)).toHaveLength(2)
  })

  it('refuses what does not exist, and two files of one path', async () => {
    await expect(findDocuments([join(root, 'missing')], ALL)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    })
    await expect(findDocuments([root, join(root, 'b.md')], ALL)).rejects.toThrow(/stored as b\.md/)
  })
})
