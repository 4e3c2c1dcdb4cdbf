import fc from 'fast-check'
import { expect, it } from 'vitest'

import { batches } from '../../../src/core/batches.ts'

it('divides a list in order, within both bounds but for a single entry', () => {
  const bounds = { size: 3, length: 10, lengthOf: (value: string) => value.length }
  const values = ['aaaa', 'bbbb', 'cccc', 'd', 'e', 'f', 'g', 'h'.repeat(20), 'i']
  expect([...batches(values, bounds)]).toEqual([
    ['aaaa', 'bbbb'],
    ['cccc', 'd', 'e'],
    ['f', 'g'],
    ['h'.repeat(20)],
    ['i'],
  ])
  expect([...batches([], bounds)]).toEqual([])
})

it('loses and repeats nothing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(9)),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(20),
      (list, size, length) => {
        const found = [...batches(list, { size, length, lengthOf: (value) => value })]
        expect(found.flat()).toEqual(list)
        for (const batch of found) {
          const sum = batch.reduce((total, value) => total + value, 0)
          expect(batch.length >= 1 && batch.length <= size).toBe(true)
          expect(batch.length === 1 || sum <= length).toBe(true)
        }
      },
    ),
    { seed: 7 },
  )
})
