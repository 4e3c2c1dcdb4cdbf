import { describe, expect, it } from 'vitest'

import { textWidth, toOneLine, toPrintable, wrap } from '../../../src/cli/printable.ts'

describe('text for a terminal', () => {
  it('lets no control sequence of stored text through', () => {
    const shown = toPrintable('a\u001b[2Jb\u009bc\u202ed\r\ne\tf')
    expect(shown).toBe('a\ufffd[2Jb\ufffdc\ufffdd\ne\tf')
  })

  it('counts wide letters and emoji as two columns', () => {
    expect(textWidth('abc')).toBe(3)
    expect(textWidth('東京')).toBe(4)
    expect(textWidth('👩‍🚀')).toBe(2)
    expect(textWidth('#1')).toBe(2)
  })

  it('wraps at words, also where a script has no spaces', () => {
    expect(wrap('the blue crate goes to dock four', 12)).toEqual([
      'the blue',
      'crate goes',
      'to dock four',
    ])
    for (const text of [
      'ข้อความภาษาไทยไม่มีช่องว่างระหว่างคำ',
      '東京都の天気は今日も晴れです',
      'x'.repeat(40),
    ]) {
      const lines = wrap(text, 10)
      expect(lines.join('')).toBe(text)
      expect(lines.every((line) => textWidth(line) <= 10)).toBe(true)
    }
  })

  it('cuts one line at a whole grapheme', () => {
    expect(toOneLine('one\n  two   three', 40)).toBe('one two three')
    expect(toOneLine('👩‍🚀👩‍🚀👩‍🚀', 5)).toBe('👩‍🚀👩‍🚀…')
  })
})
