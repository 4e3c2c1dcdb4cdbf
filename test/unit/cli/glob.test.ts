import { describe, expect, it } from 'vitest'

import { globToRegExp } from '../../../src/cli/glob.ts'

describe('globs', () => {
  it.each([
    ['*.md', 'a.md', true],
    ['*.md', 'deep/er/a.md', true],
    ['*.md', 'a.mdx', false],
    ['docs/*.md', 'docs/a.md', true],
    ['docs/*.md', 'docs/b/a.md', false],
    ['docs/**', 'docs/b/a.md', true],
    ['**/adr/*.md', 'adr/1.md', true],
    ['**/adr/*.md', 'x/y/adr/1.md', true],
    ['*.{md,txt}', 'größe.txt', true],
    ['a?.md', 'ab.md', true],
    ['a?.md', 'a/.md', false],
    ['a.md', 'aXmd', false],
    ['a+(b).md', 'a+(b).md', true],
    ['drafts/{a,b', 'drafts/a', true],
    ['x}y', 'x}y', true],
    ['change-log-*.md', 'docs/change-log-1.md', true],
  ])('%s against %s is %s', (glob, path, expected) => {
    expect(globToRegExp(glob).test(path)).toBe(expected)
  })
})
