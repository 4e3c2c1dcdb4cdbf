import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { hold, match } from './match-texts.ts'

const SEED = { seed: 20_261_201 }

const A = '## A\n\nAlpha words.\n\n'
const B = '## B\n\nBeta words.\n\n'
const C = '## C\n\nGamma words.\n\n'

describe('matchChunks', () => {
  it('keeps every id of an unchanged text', () => {
    const { ids, gone } = match(A + B + C, A + B + C)
    expect(ids).toEqual(['old0', 'old1', 'old2', 'old3', 'old4', 'old5'])
    expect(gone).toEqual([])
  })

  it('follows sections that move', () => {
    expect(match(A + B + C, C + A + B).ids).toEqual([
      'old4',
      'old5',
      'old0',
      'old1',
      'old2',
      'old3',
    ])
  })

  it('follows a section that is renamed, with what is left of its text', () => {
    const rest =
      'The long rest of this section stays as it was, word for word, and is its own chunk because it is long enough.\n\n'
    const { ids, gone } = match(`${A}${rest}${B}`, `${A.replace('## A', '## Renamed')}${rest}${B}`)
    expect(gone).toEqual([])
    expect(ids.every((id) => id.startsWith('old'))).toBe(true)
  })

  it('follows a section of few words that gets another name, in its place or elsewhere', () => {
    const [tiny, other] = ['## Fees\n\nNone.\n\n', '## Opening hours and days\n\nNone.\n\n']
    expect(match(A + tiny + B, A + other + B).ids).toEqual(match(A + tiny + B, A + tiny + B).ids)
    expect(match(tiny + A, A + other).ids).toEqual(['old2', 'old3', 'old0', 'old1'])
  })

  it('keeps the id of a chunk whose text was edited in its place', () => {
    const { ids, gone } = match(A + B + C, A + B.replace('Beta', 'Better') + C)
    expect(ids).toEqual(['old0', 'old1', 'old2', 'old3', 'old4', 'old5'])
    expect(gone).toEqual([])
  })

  it('gives new ids to what is inserted and lets go of what is removed', () => {
    expect(match(A + C, A + B + C).ids).toEqual(['old0', 'old1', 'new1', 'new2', 'old2', 'old3'])
    expect(match(A + B + C, A + C).gone).toEqual(['old2', 'old3'])
  })

  it('matches equal chunks in their order', () => {
    const same = 'Same.\n\n'
    expect(match(`# T\n\n${same}`, `# T\n\n${same}`).gone).toEqual([])
    expect(match(A + A, A + A).ids).toEqual(['old0', 'old1', 'old2', 'old3'])
  })

  it('gives every chunk one id and uses none twice, whatever changes', () => {
    const section = fc.constantFrom(A, B, C, '### D\n\nx\n\n', 'Loose words.\n\n', '- a\n- b\n\n')
    const text = fc.array(section, { maxLength: 10 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { ids, gone } = match(before, after)
        expect(new Set(ids).size).toBe(ids.length)
        const kept = ids.filter((id) => id.startsWith('old'))
        expect([...kept, ...gone].sort()).toEqual(
          hold(before)
            .map(({ chunkId }) => chunkId)
            .sort(),
        )
      }),
      SEED,
    )
  })

  describe('of edited text', () => {
    const crates =
      'The blue crates from the northern yard go to dock four on every weekday morning before nine.'
    const pumps =
      'Night pumps have to be started by hand whenever the water in the lower basin is above the mark.'
    const keys =
      'Keys for the tool shed hang behind the door of the office, and Ines knows who has taken them.'
    const text = (...paragraphs: string[]) => `# Yard\n\n${paragraphs.join('\n\n')}\n`

    it('tells heavily edited neighbours apart by their words', () => {
      const { idOf, oldIdOf, gone } = match(
        text(crates, pumps, keys),
        text(
          'Whenever the water in the lower basin is high, night pumps are to be started by hand, said Ada.',
          'From now on the blue crates from the northern yard go to dock seven on every weekday morning.',
          `${keys} Ask her.`,
        ),
      )
      expect(idOf('night pumps')).toBe(oldIdOf('Night pumps'))
      expect(idOf('blue crates')).toBe(oldIdOf('blue crates'))
      expect(idOf('Keys')).toBe(oldIdOf('Keys'))
      expect(gone).toEqual([])
    })

    it('keeps the id where a new paragraph comes before an edited one', () => {
      const { idOf, oldIdOf } = match(
        text(crates, pumps),
        text(
          'Something that nobody wrote before stands here now, in front of all.',
          crates.replace('four', 'nine'),
          pumps,
        ),
      )
      expect(idOf('dock nine')).toBe(oldIdOf('dock four'))
      expect(idOf('Something')).toMatch(/^new/)
    })

    it('keeps the id of what was written anew between the same neighbours', () => {
      const { ids, gone } = match(
        text(crates, pumps, keys),
        text(crates, 'Wholly other words stand here.', keys),
      )
      expect(ids.every((id) => id.startsWith('old'))).toBe(true)
      expect(gone).toEqual([])
    })

    it('says from which chunk a part was split', () => {
      const [first, second] = [
        'Crates go to dock four each morning. ',
        'Pumps start by hand at night if it rains.',
      ]
      const { lineage, idOf, oldIdOf, ids } = match(
        text(`${first}${second}`),
        text(first.trim(), keys, second),
      )
      const whole = oldIdOf('Crates')
      const part = [idOf('Crates'), idOf('Pumps')].find((id) => id !== whole)
      expect(lineage.map((entry) => ({ ...entry, chunk: ids[entry.chunk] }))).toEqual([
        { chunk: part, fromChunkId: whole, change: 'split' },
      ])
    })

    it('says which chunk was merged into another', () => {
      const [first, second] = [
        'Crates go to dock four each morning.',
        'Pumps start by hand at night if it rains.',
      ]
      const { lineage, idOf, oldIdOf, ids, gone } = match(
        text(first, keys, second),
        text(`${first} ${second}`, keys),
      )
      const merged = idOf('Crates')
      const lost = [oldIdOf('Crates'), oldIdOf('Pumps')].find((id) => id !== merged)
      expect(gone).toEqual([lost])
      expect(lineage.map((entry) => ({ ...entry, chunk: ids[entry.chunk] }))).toEqual([
        { chunk: merged, fromChunkId: lost, change: 'merge' },
      ])
    })

    it('follows sections that are renamed in a chain', () => {
      const section = (name: string, body: string) => `## ${name}\n\n${body}\n\n`
      const { ids } = match(
        section('A', crates) + section('B', pumps) + section('C', keys),
        section('B', crates) + section('C', pumps) + section('D', keys),
      )
      expect(ids.every((id, index) => id === `old${index}`)).toBe(true)
    })
  })
})
