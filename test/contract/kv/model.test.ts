import fc from 'fast-check'
import { expect, it } from 'vitest'

import type { Identity } from '../../../src/identity/identity.ts'
import { accountedBytes, describeKv, type KvHeddle } from './describe-kv.ts'

/**
 * Sequences of operations against a model that is as plain as it can be: values in a map, compared
 * and copied by their JSON text.
 */

type Json = string | number | boolean | null | Json[] | { [field: string]: Json }

interface ModelEntry {
  value: Json
  revision: number
}

interface Step {
  readonly op: 'set' | 'delete' | 'incr' | 'merge' | 'append_unique' | 'push_bounded'
  readonly key: string
  readonly value: Json
  readonly guard: 'none' | 'right' | 'wrong'
}

const KEYS = ['a', 'b', '__proto__', 'constructor', 'ключ', 'a%']
const scalar = fc.oneof(
  fc.constantFrom<Json>(0, 1, -7, 2 ** 53 - 1, 'x', '', null, true),
  fc.string({ unit: 'grapheme', maxLength: 5 }).filter((text) => !text.includes('\u0000')),
)
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 2, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('x', 'y', 'z'), scalar, { maxKeys: 3, noNullPrototype: true }),
)
const step: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom('set', 'set', 'delete', 'incr', 'merge', 'append_unique', 'push_bounded'),
  key: fc.constantFrom(...KEYS),
  value,
  guard: fc.constantFrom('none', 'none', 'none', 'right', 'wrong'),
})

class Model {
  readonly live = new Map<string, ModelEntry>()
  readonly last = new Map<string, number>()

  /** Undefined: the operation must fail and leave everything as it was. */
  apply({ op, key, value: given, guard }: Step): { changed: boolean } | undefined {
    if (guard === 'wrong') return undefined
    const held = this.live.get(key)
    if (op === 'delete') {
      if (held === undefined) return { changed: false }
      this.live.delete(key)
      return this.#changed(key)
    }
    const next = this.#next(op, held?.value, given)
    if (next === undefined) return undefined
    const isQuiet = op === 'incr' || op === 'merge' || op === 'append_unique'
    if (isQuiet && held && JSON.stringify(next) === JSON.stringify(held.value)) {
      return { changed: false }
    }
    const result = this.#changed(key)
    this.live.set(key, { value: next, revision: this.last.get(key) ?? 0 })
    return result
  }

  #changed(key: string): { changed: boolean } {
    this.last.set(key, (this.last.get(key) ?? 0) + 1)
    return { changed: true }
  }

  #next(op: Step['op'], held: Json | undefined, given: Json): Json | undefined {
    switch (op) {
      case 'incr': {
        if (held !== undefined && !Number.isInteger(held)) return undefined
        const sum = ((held as number | undefined) ?? 0) + toBy(given)
        return Number.isSafeInteger(sum) ? sum : undefined
      }
      case 'merge': {
        if (held !== undefined && !isObject(held)) return undefined
        const fields = Object.entries(held ?? {})
        for (const [name, change] of Object.entries(toPatch(given))) {
          const at = fields.findIndex(([known]) => known === name)
          if (change === null) fields.splice(at < 0 ? fields.length : at, 1)
          else if (at < 0) fields.push([name, change])
          else fields[at] = [name, change]
        }
        return Object.fromEntries(fields)
      }
      case 'append_unique': {
        if (held !== undefined && !Array.isArray(held)) return undefined
        const items = [...((held as Json[] | undefined) ?? [])]
        for (const item of toItems(given)) {
          if (!items.some((other) => JSON.stringify(other) === JSON.stringify(item)))
            items.push(item)
        }
        return items
      }
      case 'push_bounded':
        if (held !== undefined && !Array.isArray(held)) return undefined
        return [...((held as Json[] | undefined) ?? []), ...toItems(given)].slice(-3)
      case 'set':
        return given
      case 'delete':
        return undefined
    }
  }
}

function isObject(json: Json): json is { [field: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

const toBy = (json: Json): number => (Number.isSafeInteger(json) ? (json as number) : 1)
const toPatch = (json: Json): { [field: string]: Json } => (isObject(json) ? json : { x: json })
const toItems = (json: Json): Json[] => (Array.isArray(json) && json.length > 0 ? json : [json])

function toArgs({ op, key, value: given }: Step): Record<string, unknown> {
  switch (op) {
    case 'set':
      return { key, value: given }
    case 'delete':
      return { key }
    case 'incr':
      return { key, by: toBy(given) }
    case 'merge':
      return { key, patch: toPatch(given) }
    case 'append_unique':
      return { key, items: toItems(given) }
    case 'push_bounded':
      return { key, items: toItems(given), max: 3 }
  }
}

function guarded(model: Model, each: Step): Record<string, unknown> {
  const actual = model.live.get(each.key)?.revision ?? 0
  if (each.guard === 'none') return toArgs(each)
  return { ...toArgs(each), if_revision: each.guard === 'right' ? actual : actual + 1 }
}

async function compare(heddle: KvHeddle, who: Identity, model: Model): Promise<void> {
  const { entries, total } = await heddle.call(who, 'kv.list', {})
  const wanted = [...model.live].sort(([a], [b]) =>
    Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8')),
  )
  expect(
    entries.map(({ key, value: held, revision }) => [key, JSON.stringify(held), revision]),
  ).toEqual(wanted.map(([key, entry]) => [key, JSON.stringify(entry.value), entry.revision]))
  expect(total).toBe(model.live.size)
  for (const [key, revisions] of model.last) {
    const { changes, total: changed } = await heddle.call(who, 'kv.history', { key, limit: 1 })
    expect([changed, changes[0]?.revision]).toEqual([revisions, revisions])
    expect(changes[0]?.deleted).toBe(!model.live.has(key))
  }
  const bytes = wanted.reduce(
    (sum, [key, entry]) =>
      sum + Buffer.byteLength(key) + Buffer.byteLength(JSON.stringify(entry.value)),
    0,
  )
  expect(await accountedBytes(heddle.deps.engine, who, 'user')).toBe(bytes)
}

let users = 0

describeKv('kv against a model', (kv) => {
  it('agrees with it after every sequence of operations', async () => {
    const heddle = kv()
    const ada = await heddle.identity({ user: 'ada' })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const who = { ...ada, user: `u${(users += 1)}` }
        const model = new Model()
        for (const each of steps) {
          const args = guarded(model, each)
          const expected = model.apply(each)
          const answer = await heddle.reply(who, `kv.${each.op}`, args)
          expect([each.op, answer.ok]).toEqual([each.op, expected !== undefined])
        }
        await compare(heddle, who, model)
      }),
      { numRuns: 30, seed: 20_261_130 },
    )
  })

  it('agrees with it when the sequence is one batch', async () => {
    const heddle = kv()
    const ada = await heddle.identity({ user: 'ada' })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        const who = { ...ada, user: `u${(users += 1)}` }
        const model = new Model()
        const good = steps.flatMap((each) => {
          const entry = { op: each.op, ...guarded(model, each) }
          return model.apply(each) === undefined ? [] : [entry]
        })
        if (good.length === 0) return
        const bad = { op: 'set', key: 'a', value: 1, if_revision: 99 }
        expect((await heddle.reply(who, 'kv.batch', { entries: [...good, bad] })).ok).toBe(false)
        expect((await heddle.call(who, 'kv.list', {})).total).toBe(0)
        expect((await heddle.reply(who, 'kv.batch', { entries: good })).ok).toBe(true)
        await compare(heddle, who, model)
      }),
      { numRuns: 30, seed: 20_261_131 },
    )
  })

  it('agrees with it when independent keys are written in parallel', async () => {
    const heddle = kv()
    const ada = await heddle.identity({ user: 'ada' })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        const who = { ...ada, user: `u${(users += 1)}` }
        const model = new Model()
        const plain = steps.map((each) => ({ ...each, guard: 'none' as const }))
        await Promise.all(
          KEYS.map(async (key) => {
            for (const each of plain.filter((one) => one.key === key)) {
              await heddle.reply(who, `kv.${each.op}`, toArgs(each))
            }
          }),
        )
        for (const each of plain) model.apply(each)
        await compare(heddle, who, model)
      }),
      { numRuns: 15, seed: 20_261_132 },
    )
  })
})
