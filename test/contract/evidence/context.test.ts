import { expect, it } from 'vitest'

import type { Identity } from '../../../src/identity/identity.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

interface Part {
  readonly chunk_id: string
  readonly quote: string
  readonly tokens: number
}

interface Context {
  readonly tokens: number
  readonly truncated: boolean
  readonly before: readonly Part[]
  readonly around?: readonly Part[]
  readonly after: readonly Part[]
}

/** Eleven sections, each one leaf: its heading and its words. */
const DOCUMENT = Array.from(
  { length: 11 },
  (_, n) => `## Part ${n}\n\nWords of part ${n}, which say something.\n`,
).join('\n')

describeEngines('get with context', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  async function storeParts(me: Identity) {
    const { source_id } = await heddle().call(me, 'doc.import', { path: 'p.md', content: DOCUMENT })
    const { chunks } = await heddle().call(me, 'doc.outline', { id: source_id })
    const leaves = chunks.filter(({ level }) => level === undefined)
    return { source_id, chunks, leaves: leaves.map(({ chunk_id }) => chunk_id) }
  }

  const read = async (me: Identity, id: string | undefined, budget_tokens?: number) => {
    const args = { id: id ?? '', ...(budget_tokens !== undefined && { budget_tokens }) }
    const { record } = await heddle().call(me, 'get', args)
    return record as Record<string, unknown> & { context?: Context; previous_id?: string }
  }

  it('gives the document around a chunk, nearest first, whole leaves in order', async () => {
    const me = await heddle().identity()
    const { leaves } = await storeParts(me)
    expect(leaves).toHaveLength(11)
    const whole = await read(me, leaves[5], 20_000)
    expect(whole).toMatchObject({ previous_id: leaves[4], next_id: leaves[6] })
    expect(whole.context?.before.map(({ chunk_id }) => chunk_id)).toEqual(leaves.slice(0, 5))
    expect(whole.context?.after.map(({ chunk_id }) => chunk_id)).toEqual(leaves.slice(6))
    expect(whole.context).toMatchObject({ truncated: false })
    expect(whole.context?.before[4]?.quote).toContain('Words of part 4')

    const each = whole.context?.before[0]?.tokens ?? 0
    const some = await read(me, leaves[5], 3 * each + 1)
    expect(some.context?.truncated).toBe(true)
    expect(some.context?.tokens).toBeLessThanOrEqual(3 * each + 1)
    expect(some.context?.before.map(({ chunk_id }) => chunk_id)).toEqual(leaves.slice(3, 5))
    expect(some.context?.after.map(({ chunk_id }) => chunk_id)).toEqual([leaves[6]])
    const none = await read(me, leaves[5], 0)
    expect(none.context).toBeUndefined()
    expect(none).toMatchObject({ previous_id: leaves[4], next_id: leaves[6] })
    const first = await read(me, leaves[0])
    expect(first).not.toHaveProperty('previous_id')
    expect(first.context?.before).toEqual([])
  })

  it('gives what lies around a section, not in it', async () => {
    const me = await heddle().identity()
    const { chunks, leaves } = await storeParts(me)
    const section = chunks.find(({ title }) => title === 'Part 3')?.chunk_id
    const { context } = await read(me, section, 20_000)
    expect(context?.before.at(-1)?.chunk_id).toBe(leaves[2])
    expect(context?.after[0]?.chunk_id).toBe(leaves[4])
  })

  it('gives the leaf that a piece of evidence stands in, in its own revision', async () => {
    const me = await heddle().identity()
    const { source_id, leaves } = await storeParts(me)
    const { evidence_id } = await heddle().call(me, 'evidence.add', {
      source_id,
      quote: 'of part 5',
    })
    await heddle().call(me, 'doc.import', { path: 'p.md', content: '## Part 0\n\nAll new.\n' })
    const { context, quote } = await read(me, evidence_id, 20_000)
    expect(quote).toBe('of part 5')
    expect(context?.around?.map(({ chunk_id }) => chunk_id)).toEqual([leaves[5]])
    expect(context?.around?.[0]?.quote).toContain('Words of part 5, which say')
    expect(context?.before).toHaveLength(5)
    const tight = await read(me, evidence_id, 1)
    expect(tight.context).toMatchObject({ around: [], before: [], after: [], truncated: true })
  })

  it('gives the turns around a turn, tool traffic too, without those that were forgotten', async () => {
    const me = await heddle().identity()
    const turns = Array.from({ length: 5 }, (_, n) => ({
      role: n === 3 ? 'tool' : 'user',
      ...(n !== 3 && { speaker: 'Ines' }),
      content: `line ${n}`,
    }))
    const { turn_ids: ids = [] } = await heddle().call(me, 'observe', { turns })
    await heddle().call(me, 'forget', { ids: [ids[1] ?? ''] })
    const record = await read(me, ids[2])
    expect(record).toMatchObject({
      previous_id: ids[0],
      next_id: ids[3],
      context: {
        truncated: false,
        before: [{ chunk_id: ids[0], role: 'user', speaker: 'Ines', quote: 'line 0' }],
        after: [{ role: 'tool', quote: 'line 3' }, { quote: 'line 4' }],
      },
    })
  })

  it('refuses a budget out of range, and shows lineage of split and merged chunks', async () => {
    const me = await heddle().identity()
    const { leaves } = await storeParts(me)
    for (const budget_tokens of [-1, 1.5, 1e9, 'abc']) {
      const { error } = await heddle().fail(me, 'get', { id: leaves[0], budget_tokens })
      expect(error.code).toBe('INPUT_INVALID')
    }
    const sentences = (from: number, to: number): string =>
      Array.from(
        { length: to - from },
        (_, n) => `Sentence ${from + n} says a thing of its own.`,
      ).join(' ')
    const import_ = (content: string) => heddle().call(me, 'doc.import', { path: 's.md', content })
    const one = `# S\n\n${sentences(0, 8)}\n`
    const { source_id } = await import_(one)
    const [before] = (await heddle().call(me, 'doc.outline', { id: source_id })).chunks.filter(
      ({ level }) => level === undefined,
    )
    await import_(`# S\n\n${sentences(0, 4)}\n\n## New\n\n${sentences(4, 8)}\n`)
    const { chunks } = await heddle().call(me, 'doc.outline', { id: source_id })
    const parts = chunks.filter(({ level }) => level === undefined)
    const lineages = await Promise.all(parts.map(({ chunk_id }) => read(me, chunk_id)))
    const cameFrom = lineages.flatMap((record) => (record['came_from'] ?? []) as unknown[])
    expect(cameFrom).toContainEqual({ chunk_id: before?.chunk_id, change: 'split', revision: 2 })
  })
})
