import { describe, expect, it } from 'vitest'

import { MANY, ONE, refusalOf, Timeline } from '../timeline.ts'

const lives = (valueKey: string, validAt: bigint, invalidAt?: bigint) =>
  ({ op: 'assert', valueKey, validAt, ...(invalidAt !== undefined && { invalidAt }) }) as const

describe('assert', () => {
  it('lets a value hold over its range, and without an end for good', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 3n, 7n)
    timeline.assert('bergen', 7n)
    expect(timeline.believed()).toEqual(['oslo [3, 7)', 'bergen [7, open)'])
    expect([2n, 3n, 6n, 7n].map((asOf) => timeline.at(asOf))).toEqual([
      [],
      ['oslo'],
      ['oslo'],
      ['bergen'],
    ])
  })

  it('refuses an empty and a reversed range', () => {
    const timeline = new Timeline()
    expect(refusalOf(timeline.plan(lives('oslo', 5n, 5n)), timeline)).toEqual(['RANGE_EMPTY'])
    expect(refusalOf(timeline.plan(lives('oslo', 5n, 4n)), timeline)).toEqual(['RANGE_REVERSED'])
  })

  it('supports what is held already and adds only the uncovered rest, on both sides', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 3n, 7n)
    const held = timeline.current('oslo', 3n)
    const change = timeline.assert('oslo', 1n, 9n)
    expect(change.close).toEqual([])
    expect(change.supports).toEqual([{ factId: held.factId, versionId: held.versionId }])
    expect(timeline.believed()).toEqual(['oslo [1, 3)', 'oslo [3, 7)', 'oslo [7, 9)'])
    expect(new Set(timeline.versions.map(({ factId }) => factId)).size).toBe(1)
  })

  it('adds nothing but support when the whole range is held', () => {
    const timeline = new Timeline(MANY)
    timeline.assert('tea', 0n)
    const change = timeline.assert('tea', 4n, 5n)
    expect(change).toMatchObject({ close: [], add: [], supports: [{}] })
  })

  it('keeps a fact that was true in two periods as two periods', () => {
    const timeline = new Timeline()
    timeline.assert('payments', 1n, 4n)
    timeline.assert('payments', 9n)
    expect(timeline.believed()).toEqual(['payments [1, 4)', 'payments [9, open)'])
    expect([2n, 6n, 10n].map((asOf) => timeline.at(asOf).length)).toEqual([1, 0, 1])
  })

  it('does not take touching ranges for a collision', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 5n)
    expect(timeline.plan(lives('bergen', 2n, 5n)).kind).toBe('change')
    expect(refusalOf(timeline.plan(lives('bergen', 2n, 6n)), timeline)).toEqual([
      'FACT_CONFLICT',
      'oslo',
    ])
  })

  it('never collides for a many-valued predicate', () => {
    const timeline = new Timeline(MANY)
    timeline.assert('tea', 0n)
    timeline.assert('coffee', 2n)
    expect(timeline.believed()).toEqual(['tea [0, open)', 'coffee [2, open)'])
  })
})

describe('assert that collides with another value of a single-valued predicate', () => {
  it('is refused as a whole with everything in its way', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n, 4n)
    timeline.assert('bergen', 6n, 8n)
    const refused = timeline.plan(lives('paris', 2n, 20n))
    expect(refusalOf(refused, timeline)).toEqual(['FACT_CONFLICT', 'oslo', 'bergen'])
  })

  it('contradicts everything in its way and adds no part of itself', () => {
    const timeline = new Timeline({ ...ONE, onConflict: 'contradict' })
    timeline.assert('oslo', 0n, 4n)
    timeline.assert('bergen', 6n, 8n)
    const change = timeline.assert('paris', 2n, 20n)
    expect(change).toMatchObject({ close: [], add: [], supports: [] })
    expect(change.contradicts.map(({ factId }) => factId)).toEqual([
      timeline.factId('oslo'),
      timeline.factId('bergen'),
    ])
  })

  it('supersedes what is held at its start', () => {
    const timeline = new Timeline({ ...ONE, onConflict: 'supersede' })
    timeline.assert('oslo', 0n)
    timeline.assert('bergen', 5n)
    expect(timeline.believed()).toEqual(['oslo [0, 5)', 'bergen [5, open)'])
  })

  it('reaches to the next value when it comes late and has no end', () => {
    const timeline = new Timeline({ ...ONE, onConflict: 'supersede' })
    timeline.assert('oslo', 5n)
    const change = timeline.assert('bergen', 2n)
    expect(change.close).toEqual([])
    expect(timeline.believed()).toEqual(['bergen [2, 5)', 'oslo [5, open)'])
  })

  it('is refused when its given end lies beyond the start of the next value', () => {
    const timeline = new Timeline({ ...ONE, onConflict: 'supersede' })
    timeline.assert('oslo', 5n)
    const refused = timeline.plan(lives('bergen', 2n, 6n))
    expect(refusalOf(refused, timeline)).toEqual(['SUPERSEDE_BEYOND_NEXT', 'oslo'])
  })
})
