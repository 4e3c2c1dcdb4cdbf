import { describe, expect, it } from 'vitest'

import type { CheckedCandidate } from '../../../src/recall/check-candidates.ts'
import { packHits } from '../../../src/recall/pack.ts'

const candidates = ['aaaa', 'bb', 'cccccc', 'd'].map(
  (text) =>
    ({ recordId: text, score: 1, ranks: new Map(), item: { text } }) as unknown as CheckedCandidate,
)
const pack = (topK: number, tokens?: number) => {
  const { hits, ...rest } = packHits(candidates, { topK, tokens }, (text) => text.length)
  return { texts: hits.map(({ item }) => item.text), ...rest }
}

describe('packHits', () => {
  it('takes the best without a token budget', () => {
    expect(pack(3)).toEqual({ texts: ['aaaa', 'bb', 'cccccc'], tokens: 12, isTruncated: false })
  })

  it('stops at the first that does not fit, so that less budget gives the beginning', () => {
    expect(pack(4, 7)).toEqual({ texts: ['aaaa', 'bb'], tokens: 6, isTruncated: true })
    expect(pack(4, 3)).toEqual({ texts: [], tokens: 0, isTruncated: true })
    expect(pack(4, 13)).toEqual({
      texts: ['aaaa', 'bb', 'cccccc', 'd'],
      tokens: 13,
      isTruncated: false,
    })
  })
})
