import { describe, expect, it } from 'vitest'

import { globToSqlRegExp } from '../../../../src/planes/documents/path-glob.ts'

// What is written is also a regular expression here.
const matches = (glob: string, path: string) => new RegExp(globToSqlRegExp(glob), 'u').test(path)

describe('globToSqlRegExp', () => {
  it.each([
    ['*.md', 'a.md', true],
    ['*.md', 'guides/a.md', false],
    ['**/*.md', 'a.md', true],
    ['**/*.md', 'guides/deep/a.md', true],
    ['guides/**', 'guides/deep/a.md', true],
    ['guides/**', 'guidesx/a.md', false],
    ['?.md', 'a.md', true],
    ['?.md', '/.md', false],
    ['a.md', 'axmd', false],
    ['a+(b).md', 'a+(b).md', true],
    ['[ab].md', '[ab].md', true],
    ['[ab].md', 'a.md', false],
    ['a|b', 'a', false],
    ['^a$', '^a$', true],
    ['größe/東京 *.md', 'größe/東京 1.md', true],
  ])('%s on %s is %s', (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected)
  })
})
