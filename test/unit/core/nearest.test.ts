import { expect, it } from 'vitest'

import { findNearest } from '../../../src/core/nearest.ts'

it.each([
  ['kv.st', ['kv.set', 'kv.get', 'recall'], 'kv.set'],
  ['HEDDLE_DATADIR', ['HEDDLE_DATA_DIR', 'HEDDLE_PORT'], 'HEDDLE_DATA_DIR'],
  ['Recal', ['recall'], 'recall'],
  ['zzzzzz', ['recall', 'kv.set'], undefined],
  ['x', [], undefined],
])('finds what %s was meant to be', (name, candidates, expected) => {
  expect(findNearest(name, candidates)).toBe(expected)
})
