import { describe, expect, it } from 'vitest'

import { toJsonLines, toText } from '../../../../src/planes/documents/conversation-text.ts'

const turns = [
  { position: 1, role: 'user', speaker: 'Ines\nB', content: 'To dock 4.\r\nNow.', observedAt: 'T' },
  { position: 3, role: 'tool', content: '', tool: '{"n": 1.0,\n "s": "a\\nb"}' },
]

describe('toText', () => {
  it('writes a line about each turn, then its words as they are', () => {
    expect(toText(turns)).toBe(
      '[1] Ines B (user) T\nTo dock 4.\r\nNow.\n\n[3] tool\n{"n": 1.0,\n "s": "a\\nb"}\n\n',
    )
  })
})

describe('toJsonLines', () => {
  it('writes one object to a line, the JSON of tools as it was stored', () => {
    const text = toJsonLines(turns)
    const lines = text.split('\n')
    expect(lines).toHaveLength(3)
    expect(lines.slice(0, 2).map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        position: 1,
        role: 'user',
        speaker: 'Ines\nB',
        content: 'To dock 4.\r\nNow.',
        observed_at: 'T',
      },
      { position: 3, role: 'tool', content: '', tool: { n: 1, s: 'a\nb' } },
    ])
    expect(text).toContain('"n": 1.0')
  })
})
