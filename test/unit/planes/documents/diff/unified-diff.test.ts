import { applyPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { diffTexts } from '../../../../../src/planes/documents/diff/unified-diff.ts'

const LIMITS = { timeoutMs: 10_000, maxEdits: 10_000, maxLength: 100_000 }

const diff = (before: string, after: string, limits = {}, context = 3) =>
  diffTexts(
    { path: 'a.md', before, after, labels: { before: 'revision 1', after: 'revision 2' }, context },
    { ...LIMITS, ...limits },
  )

const apply = (before: string, patch: string) =>
  applyPatch(before, patch, { autoConvertLineEndings: false })

describe('diffTexts', () => {
  it('gives a unified diff with the revisions in its header', () => {
    expect(diff('one\ntwo\nthree\n', 'one\n2\nthree\n')).toEqual({
      diff: [
        '--- a.md\trevision 1',
        '+++ a.md\trevision 2',
        '@@ -1,3 +1,3 @@',
        ' one',
        '-two',
        '+2',
        ' three',
        '',
      ].join('\n'),
      linesAdded: 1,
      linesRemoved: 1,
      isTruncated: false,
      isMinimal: true,
    })
  })

  it('is empty for equal texts', () => {
    expect(diff('a\r\nb', 'a\r\nb')).toEqual({
      diff: '',
      linesAdded: 0,
      linesRemoved: 0,
      isTruncated: false,
      isMinimal: true,
    })
  })

  it('says where a last line has no end', () => {
    expect(diff('a\nb', 'a\nb\n').diff).toContain('-b\n\\ No newline at end of file\n+b\n')
    expect(diff('', 'a').diff).toContain('@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n')
  })

  it('keeps carriage returns', () => {
    expect(diff('a\r\nb\r\n', 'a\r\nc\r\n').diff).toContain(' a\r\n-b\r\n+c\r\n')
    expect(diff('a\r\n', 'a\n').diff).toContain('-a\r\n+a\n')
  })

  const line = fc.constantFrom('a\n', 'b\n', 'a\r\n', '\n', '-x\n', '+y\n', '\\ z\n', ' \r\n', 'c')
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join(''))

  it('gives what makes one text of the other', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        const found = diff(before, after, {}, context)
        if (before === after) expect(found.diff).toBe('')
        else expect(apply(before, found.diff)).toBe(after)
      }),
    )
  })

  it('also when it gave up looking for the smallest difference', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        const found = diff(before, after, { maxEdits: 0 }, context)
        if (before === after) expect(found.diff).toBe('')
        else expect(apply(before, found.diff)).toBe(after)
      }),
    )
    const far = diff('x\na\ny\n', 'x\nb\ny\n', { maxEdits: 0 })
    expect(far).toMatchObject({ isMinimal: false, linesAdded: 1, linesRemoved: 1 })
  })

  it('says when it was cut, and what is left still applies', () => {
    const before = Array.from({ length: 300 }, (_, at) => `line ${at}\n`).join('')
    const after = before.replaceAll(/[05]\n/g, ' changed\n')
    const whole = diff(before, after)
    const cut = diff(before, after, { maxLength: 400 })
    expect(whole.isTruncated).toBe(false)
    expect(cut.isTruncated).toBe(true)
    expect(cut.diff.length).toBeLessThan(600)
    expect([cut.linesAdded, cut.linesRemoved]).toEqual([whole.linesAdded, whole.linesRemoved])
    const applied = apply(before, cut.diff)
    expect(applied).not.toBe(false)
    expect(applied).toContain(' changed\n')
  })
})
