import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { HeddleError } from '../../../../src/core/errors.ts'
import type { JsonObject, JsonValue } from '../../../../src/planes/kv/json-value.ts'
import {
  appendedUnique,
  incremented,
  merged,
  pushedBounded,
} from '../../../../src/planes/kv/reducers.ts'

const MAX = Number.MAX_SAFE_INTEGER

function failureOf(run: () => unknown): { code: string; details: unknown } | undefined {
  try {
    run()
  } catch (error) {
    if (error instanceof HeddleError) return { code: error.code, details: error.details }
    throw error
  }
  return undefined
}

function json(text: string): JsonObject {
  return JSON.parse(text) as JsonObject
}

describe('incremented', () => {
  it('adds to what is there, or to the start of a missing counter', () => {
    expect(incremented(41, 1, 7)).toBe(42)
    expect(incremented(undefined, 1, 7)).toBe(8)
    expect(incremented(5, -9, 0)).toBe(-4)
  })

  it('reaches both ends of the exact integers and refuses to pass them', () => {
    expect(incremented(MAX - 1, 1, 0)).toBe(MAX)
    expect(incremented(-MAX + 1, -1, 0)).toBe(-MAX)
    expect(failureOf(() => incremented(MAX, 1, 0))?.code).toBe('KV_OVERFLOW')
    expect(failureOf(() => incremented(-MAX, -1, 0))?.code).toBe('KV_OVERFLOW')
    expect(failureOf(() => incremented(MAX, MAX, 0))?.code).toBe('KV_OVERFLOW')
    expect(failureOf(() => incremented(undefined, 1, MAX))?.code).toBe('KV_OVERFLOW')
  })

  it.each([
    ['text', '41', 'string'],
    ['null', null, 'null'],
    ['a fraction', 1.5, 'number'],
    ['a number that is not exact', 2 ** 60, 'number'],
    ['a list', [1], 'array'],
    ['an object', { n: 1 }, 'object'],
  ])('refuses %s and names only its type', (_, value, actual) => {
    expect(failureOf(() => incremented(value as JsonValue, 1, 0))).toEqual({
      code: 'KV_TYPE_MISMATCH',
      details: { expected: 'integer', actual },
    })
  })
})

describe('merged', () => {
  it.each([
    // The examples of RFC 7396, appendix A, whose target is an object.
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['{"a":"foo"}', '{"b":[null,{"c":null}]}', '{"a":"foo","b":[null,{"c":null}]}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('turns %s with %s into %s', (target, patch, result) => {
    expect(JSON.stringify(merged(json(target), json(patch)))).toBe(result)
  })

  it('keeps the order of fields and puts new ones last', () => {
    const target = json('{"z":1,"m":{"y":1,"b":2},"a":3}')
    const patch = json('{"new":0,"a":4,"m":{"x":9,"y":7}}')
    expect(JSON.stringify(merged(target, patch))).toBe(
      '{"z":1,"m":{"y":7,"b":2,"x":9},"a":4,"new":0}',
    )
  })

  it('treats __proto__ and constructor as names like any other (case 80)', () => {
    const target = json('{"constructor":{"name":"x"},"a":1}')
    const patch = json('{"__proto__":{"polluted":true},"constructor":{"name":"y"},"toString":"t"}')
    expect(JSON.stringify(merged(target, patch))).toBe(
      '{"constructor":{"name":"y"},"a":1,"__proto__":{"polluted":true},"toString":"t"}',
    )
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    const removed = merged(merged(target, patch), json('{"__proto__":null,"hasOwnProperty":null}'))
    expect(Object.keys(removed)).toEqual(['constructor', 'a', 'toString'])
  })

  it('makes an object where there is none and refuses other types', () => {
    expect(merged(undefined, json('{"a":1,"b":null}'))).toEqual({ a: 1 })
    for (const value of [null, 'text', 1, [1]] as JsonValue[]) {
      expect(failureOf(() => merged(value, {}))?.code).toBe('KV_TYPE_MISMATCH')
    }
  })

  it('leaves the same when applied twice', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), {
      noNullPrototype: true,
    })
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const once = merged(target as JsonObject, patch as JsonObject)
        expect(JSON.stringify(merged(once, patch as JsonObject))).toBe(JSON.stringify(once))
      }),
    )
  })
})

describe('appendedUnique', () => {
  it('appends what is not there yet, in order, and counts it', () => {
    expect(appendedUnique(['a'], ['b', 'a', 'c', 'b'])).toEqual({
      items: ['a', 'b', 'c'],
      added: 2,
    })
    expect(appendedUnique(undefined, [1, 1])).toEqual({ items: [1], added: 1 })
  })

  it('compares by value: the order of fields does not count, types do', () => {
    const held = [{ a: 1, b: { c: [1, 2], d: null } }]
    expect(appendedUnique(held, [{ b: { d: null, c: [1, 2] }, a: 1 }]).added).toBe(0)
    expect(appendedUnique(held, [{ b: { d: null, c: [2, 1] }, a: 1 }]).added).toBe(1)
    expect(appendedUnique([1, true, null], ['1', 'true', 'null']).added).toBe(3)
    expect(appendedUnique([{}], [json('{"__proto__":1}')]).added).toBe(1)
  })

  it('keeps duplicates that were there before', () => {
    expect(appendedUnique(['a', 'a'], ['a'])).toEqual({ items: ['a', 'a'], added: 0 })
  })

  it('refuses what is not a list', () => {
    expect(failureOf(() => appendedUnique({ a: 1 }, [1]))?.code).toBe('KV_TYPE_MISMATCH')
  })
})

describe('pushedBounded', () => {
  it('drops the oldest beyond max and counts them', () => {
    expect(pushedBounded([1, 2, 3], [4], 3)).toEqual({ items: [2, 3, 4], dropped: 1 })
    expect(pushedBounded(undefined, [1, 2, 3], 2)).toEqual({ items: [2, 3], dropped: 1 })
    expect(pushedBounded([1], [2], 9)).toEqual({ items: [1, 2], dropped: 0 })
  })

  it('holds at most max items, always the last ones', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer()),
        fc.array(fc.integer(), { minLength: 1 }),
        fc.integer({ min: 1, max: 20 }),
        (held, items, max) => {
          const pushed = pushedBounded(held, items, max)
          expect(pushed.items).toEqual([...held, ...items].slice(-max))
          expect(pushed.items.length + pushed.dropped).toBe(held.length + items.length)
        },
      ),
    )
  })
})
