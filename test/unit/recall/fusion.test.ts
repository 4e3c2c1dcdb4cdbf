import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { fuseRankings, type RankedList } from '../../../src/recall/fusion.ts'

const list = (retriever: string, ...ids: string[]): RankedList => ({
  retriever,
  candidates: ids.map((recordId, index) => ({ recordId, score: 100 - index })),
})

describe('fuseRankings', () => {
  it('scores by reciprocal rank with 60, ranks from 1', () => {
    const fused = fuseRankings([list('lexical', 'a', 'b'), list('vector', 'b', 'c')])
    expect(fused.map(({ recordId, score }) => [recordId, score])).toEqual([
      ['b', 1 / 62 + 1 / 61],
      ['a', 1 / 61],
      ['c', 1 / 62],
    ])
    expect(Object.fromEntries(fused[0]?.ranks ?? [])).toEqual({
      lexical: { rank: 2, score: 99 },
      vector: { rank: 1, score: 100 },
    })
  })

  it('keeps the order of a single list', () => {
    expect(fuseRankings([list('lexical', 'c', 'a', 'b')]).map(({ recordId }) => recordId)).toEqual([
      'c',
      'a',
      'b',
    ])
  })

  it('breaks ties by the earlier list', () => {
    const fused = fuseRankings([list('lexical', 'z'), list('vector', 'a')])
    expect(fused.map(({ recordId }) => recordId)).toEqual(['z', 'a'])
  })

  it('counts a candidate once that a list names twice', () => {
    const [first] = fuseRankings([list('lexical', 'a', 'a')])
    expect(first?.score).toBe(1 / 61)
  })

  it('is in order, complete and without repetition for any lists', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { maxLength: 20 })
    fc.assert(
      fc.property(ids, ids, ids, (a, b, c) => {
        const fused = fuseRankings([list('a', ...a), list('b', ...b), list('c', ...c)])
        const names = fused.map(({ recordId }) => recordId)
        expect(new Set(names)).toEqual(new Set([...a, ...b, ...c]))
        expect(new Set(names).size).toBe(names.length)
        fused.slice(1).forEach(({ score }, at) => {
          expect(score).toBeLessThanOrEqual(fused[at]?.score ?? 0)
        })
      }),
    )
  })
})
