import { describe, expect, it } from 'vitest'

import { keyTurns } from '../../../../src/planes/documents/turns.ts'

const keys = (turns: Parameters<typeof keyTurns>[0]) => keyTurns(turns).map(({ key }) => key)

describe('keyTurns', () => {
  const yes = { role: 'user', content: 'yes' }

  it('gives a transcript the same keys again, longer or not', () => {
    const turns = [yes, { role: 'assistant', content: 'yes' }, yes]
    expect(new Set(keys(turns)).size).toBe(3)
    expect(keys([...turns, yes]).slice(0, 3)).toEqual(keys(turns))
  })

  it('tells speakers, times and tool traffic apart', () => {
    const turns = [
      yes,
      { ...yes, speaker: 'Ines' },
      { ...yes, observedAt: '2026-01-01T00:00:00.000000Z' as never },
      { ...yes, tool: { id: 1 } },
    ]
    const bases = keys(turns).map((key) => key.split(':')[1])
    expect(new Set(bases).size).toBe(4)
  })

  it('never takes a derived key for one of the caller', () => {
    const [derived = ''] = keys([yes])
    expect(keys([{ ...yes, key: derived }])).toEqual([`own:${derived}`])
  })
})
