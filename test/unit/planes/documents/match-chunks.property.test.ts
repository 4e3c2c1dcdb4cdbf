import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { isLeaf } from '../../../../src/planes/documents/document.ts'
import { match } from './match-texts.ts'

const SEED = { seed: 20_261_201, numRuns: 60 }

describe('matching holds for any text and edit:', () => {
  const words = fc.lorem({ mode: 'sentences', maxCount: 3 })
  const piece = fc.oneof(
    words,
    words.map((s) => `# ${s.slice(0, 12)}`),
    words.map((s) => `- ${s}\n- b`),
    fc.constant('Same.'),
  )
  const pieces = fc.array(piece, { minLength: 1, maxLength: 12 })

  it('the same text has the same ids', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join('\n\n')
        const { ids, held, lineage } = match(text, text)
        expect(ids).toEqual(held.map(({ chunkId }) => chunkId))
        expect(lineage).toEqual([])
      }),
      SEED,
    )
  })

  it('one changed word changes the hash of one leaf, and no id', () => {
    fc.assert(
      fc.property(pieces, fc.nat(), (parts, at) => {
        const before = parts.join('\n\n')
        const places = [...before.matchAll(/[a-z]{4,}/g)].map(({ index }) => index)
        const place = places[at % places.length]
        fc.pre(place !== undefined)
        const after = `${before.slice(0, place)}q${before.slice(place + 1)}`
        fc.pre(after !== before)
        const { leaves, held, parsed } = match(before, after)
        const old = held.filter((chunk) => chunk.isLeaf)
        expect(leaves).toEqual(old.map(({ chunkId }) => chunkId))
        const changed = parsed.chunks
          .filter(isLeaf)
          .filter(({ quote }, index) => quote.hash !== old[index]?.quote.hash)
        expect(changed).toHaveLength(1)
      }),
      SEED,
    )
  })

  it('ids are unique, every held chunk lives on or is gone, and lineage names what there is', () => {
    fc.assert(
      fc.property(pieces, pieces, fc.nat(6), (parts, others, kept) => {
        const before = parts.join('\n\n')
        const after = [...others.slice(0, kept), ...parts.slice(kept), ...others.slice(kept)].join(
          '\n\n',
        )
        const { ids, gone, isNew, held, lineage } = match(before, after)
        expect(new Set(ids).size).toBe(ids.length)
        const living = ids.filter((_, index) => isNew[index] === false)
        expect([...living, ...gone].sort()).toEqual(held.map(({ chunkId }) => chunkId).sort())
        const pairs = lineage.map(({ chunk, fromChunkId }) => `${chunk} ${fromChunkId}`)
        expect(new Set(pairs).size).toBe(pairs.length)
        for (const { chunk, fromChunkId } of lineage) expect(ids[chunk]).not.toBe(fromChunkId)
      }),
      SEED,
    )
  })

  /** Sections of one to three paragraphs, no two of them alike. */
  const sections = fc
    .array(fc.array(words, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 8 })
    .map((list) => list.map((body, at) => body.map((text, n) => `No${at}x${n} ${text}`)))
  const section = (name: string, body: readonly string[]) => [`## ${name}`, ...body].join('\n\n')

  it('sections that move take their ids along', () => {
    fc.assert(
      fc.property(sections, fc.nat(), fc.nat(), (list, from, to) => {
        const parts = list.map((body, at) => section(`Part ${at}`, body))
        const moved = [...parts]
        moved.splice(to % parts.length, 0, ...moved.splice(from % parts.length, 1))
        const { ids, gone, held, parsed } = match(parts.join('\n\n'), moved.join('\n\n'))
        expect(gone).toEqual([])
        const keyed = (chunk: (typeof held)[number] | (typeof parsed.chunks)[number]) =>
          `${chunk.type} ${chunk.quote.hash}`
        const old = new Map(held.map((chunk) => [chunk.chunkId, keyed(chunk)]))
        expect(ids.map((id) => old.get(id))).toEqual(parsed.chunks.map(keyed))
      }),
      SEED,
    )
  })

  it('sections that are renamed keep their ids and those of all in them', () => {
    fc.assert(
      fc.property(sections, fc.infiniteStream(fc.boolean()), (list, isRenamed) => {
        const before = list.map((body, at) => section(`Part ${at}`, body))
        const after = list.map((body, at) =>
          section(isRenamed.next().value === true ? `Deal ${at}` : `Part ${at}`, body),
        )
        const { ids, held, lineage } = match(before.join('\n\n'), after.join('\n\n'))
        expect(ids).toEqual(held.map(({ chunkId }) => chunkId))
        expect(lineage).toEqual([])
      }),
      SEED,
    )
  })

  it('what is split or merged says from which chunk it came', () => {
    const half = fc
      .uniqueArray(fc.stringMatching(/^[a-z]{5,6}$/), { minLength: 6, maxLength: 7 })
      .map((list) => `${list.join(' ')}.`)
    // Code shares no chunk with what stands around it.
    const wall = '```\nBetween them\n```'
    fc.assert(
      fc.property(half, half, (first, second) => {
        fc.pre(first.split(/\W/).every((word) => word === '' || !second.includes(word)))
        const whole = `# T\n\n${wall}\n\n${first} ${second}\n`
        const apart = `# T\n\n${first}\n\n${wall}\n\n${second}\n`
        for (const [before, after, change] of [
          [whole, apart, 'split'],
          [apart, whole, 'merge'],
        ] as const) {
          const { ids, lineage, idOf, oldIdOf } = match(before, after)
          const parts =
            change === 'split' ? [idOf(first), idOf(second)] : [oldIdOf(first), oldIdOf(second)]
          const one = change === 'split' ? oldIdOf(first) : idOf(first)
          // One part goes on as the whole; the other is, or was, the rest of it.
          const other = parts.find((id) => id !== one)
          expect(parts).toContain(one)
          expect(lineage.map(({ chunk, fromChunkId }) => [ids[chunk], fromChunkId])).toContainEqual(
            change === 'split' ? [other, one] : [one, other],
          )
          expect(lineage.every((entry) => entry.change === change)).toBe(true)
        }
      }),
      SEED,
    )
  })
})
