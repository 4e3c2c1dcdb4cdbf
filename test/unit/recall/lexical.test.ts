import { describe, expect, it } from 'vitest'

import { analyseQuery } from '../../../src/recall/query.ts'
import { planRanking } from '../../../src/recall/retrievers/lexical.ts'

const row = (term: string | null, items: number) => ({
  term,
  items,
  mean_words: term === null ? 20 : null,
})

describe('planRanking', () => {
  it('lets the rarest words find candidates and the common ones only score', () => {
    const plan = planRanking([
      row(null, 100_000),
      row('common', 20_000),
      row('rare', 3),
      row('some', 1500),
    ])
    expect(plan?.seeds).toEqual(['rare', 'some'])
    expect(plan?.terms).toEqual(['rare', 'some', 'common'])
    const [rare = 0, some = 0, common = 0] = plan?.idfs ?? []
    expect(rare).toBeGreaterThan(some)
    expect(some).toBeGreaterThan(common)
    expect(common).toBeGreaterThan(0)
  })

  it('lets a common word find candidates when there is nothing else', () => {
    expect(planRanking([row(null, 100_000), row('common', 20_000)])?.seeds).toEqual(['common'])
  })

  it('leaves out words that no item holds', () => {
    expect(planRanking([row(null, 5), row('absent', 0), row('held', 1)])?.terms).toEqual(['held'])
    expect(planRanking([row(null, 5), row('absent', 0)])).toBeUndefined()
    expect(planRanking([row(null, 0)])).toBeUndefined()
  })
})

describe('analyseQuery', () => {
  it('leaves out function words unless there is nothing else', () => {
    expect(analyseQuery('Where does the blue crate go?').terms).toEqual(['blue', 'crate', 'go'])
    expect(analyseQuery('What did Ines do?').terms).toEqual(['ines'])
    expect(analyseQuery('to be or not to be').terms).toEqual(['to', 'be', 'or', 'not'])
  })

  it('trims to 64 distinct words and says so', () => {
    const many = Array.from(
      { length: 70 },
      (_, n) => `word${String.fromCharCode(97 + (n % 26))}${n}`,
    ).join(' ')
    expect(analyseQuery(many)).toMatchObject({ isTrimmed: true })
    expect(analyseQuery(many).terms).toHaveLength(64)
    expect(analyseQuery('word '.repeat(100))).toMatchObject({ terms: ['word'], isTrimmed: false })
  })
})
