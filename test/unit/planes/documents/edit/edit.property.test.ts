import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { deleteChunk } from '../../../../../src/planes/documents/edit/delete-chunk.ts'
import { moveSection } from '../../../../../src/planes/documents/edit/move-section.ts'
import {
  childrenOf,
  type EditedDocument,
  type Section,
  sectionsOf,
  startOf,
  subtreeOf,
} from '../../../../../src/planes/documents/edit/outline.ts'
import type { Piece } from '../../../../../src/planes/documents/edit/pieces.ts'
import { reorderSections } from '../../../../../src/planes/documents/edit/reorder-sections.ts'
import { replaceChunk } from '../../../../../src/planes/documents/edit/replace-chunk.ts'
import { edited, outcome, write } from './edited-text.ts'

const lineEnd = fc.constantFrom('\n', '\n', '\r\n')
const block = fc.constantFrom(
  'Words.',
  'Two\nlines of words.',
  '- item\n- item',
  '```\n# no heading\n```',
  '| a | b |\n| - | - |\n| 1 | 2 |',
  '> quoted',
  '    indented code',
  '東京 👩‍👩‍👧‍👦',
  '',
)
const heading = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.nat({ max: 3 }))
  .map(([level, style]) => (title: string): string => {
    if (level <= 2 && style === 0) return `${title}\n${level === 1 ? '====' : '---'}`
    return style === 1
      ? `${'#'.repeat(level)} ${title} ${'#'.repeat(level)}`
      : `${'#'.repeat(level)} ${title}`
  })

/** Texts of sections with distinct headings, with either kind of line end and maybe none at the end. */
const documents = fc
  .record({
    start: fc.constantFrom('', '\ufeff', '---\ntitle: T\n---\n', 'Before all.\n\n', '\n\n'),
    sections: fc.array(fc.tuple(heading, fc.array(block, { maxLength: 3 })), {
      minLength: 1,
      maxLength: 9,
    }),
    lineEnd,
    isCut: fc.boolean(),
  })
  .map(({ start, sections, lineEnd: eol, isCut }) => {
    const parts = sections.map(([head, blocks], index) =>
      [head(`Heading ${index}`), ...blocks].join('\n\n'),
    )
    const text = `${start}${parts.join('\n\n')}\n`.replaceAll('\n', eol)
    return edited(isCut ? text.trimEnd() : text)
  })

/** What stays of the old text, in the order of the new one, as numbers of code units. */
function keptOffsets(pieces: readonly Piece[]): readonly number[] {
  return pieces.flatMap((piece) =>
    'text' in piece
      ? []
      : Array.from({ length: piece.span.end - piece.span.start }, (_, n) => piece.span.start + n),
  )
}

function added(pieces: readonly Piece[]): string {
  return pieces.map((piece) => ('text' in piece ? piece.text : '')).join('')
}

function pick<T>(values: readonly T[], at: number): T {
  return values[at % values.length] as T
}

/** Everything that is not kept is a mark or line of a heading. */
function expectOnlyHeadingsChanged(document: EditedDocument, pieces: readonly Piece[]): void {
  const kept = new Set(keptOffsets(pieces))
  const lost = lostText(document.text, kept)
  expect(lost).toMatch(/^[#=\-\r\n \t]*$/)
  expect(added(pieces)).toMatch(/^[#=\-\r\n ]*$/)
}

function lostText(text: string, kept: ReadonlySet<number>): string {
  let lost = ''
  for (let at = 0; at < text.length; at += 1) if (!kept.has(at)) lost += text.charAt(at)
  return lost
}

function isInside(section: Section, document: EditedDocument, offset: number): boolean {
  return offset >= startOf(document, section) && offset < section.span.end
}

describe('edits of random documents', () => {
  it('leave everything outside a moved section as it was, and move it whole', () => {
    fc.assert(
      fc.property(
        documents,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('before', 'after', 'into'),
        (document, from, to, place) => {
          const sections = sectionsOf(document)
          const moved = pick(sections, from)
          const others = sections.filter((one) => !subtreeOf(document, moved).includes(one))
          fc.pre(others.length > 0)
          const target = { place, chunkId: pick(others, to).chunkId } as const
          fc.pre(deepest(document, moved, target) <= 6)
          const edit = moveSection(document, moved.chunkId, target, 'blank')
          const offsets = keptOffsets(edit.pieces)
          const outside = offsets.filter((offset) => !isInside(moved, document, offset))
          // What is outside is there in full and in its order.
          expect(outside).toEqual(
            Array.from({ length: document.text.length }, (_, n) => n).filter(
              (offset) => !isInside(moved, document, offset),
            ),
          )
          const inside = offsets.filter((offset) => isInside(moved, document, offset))
          expect(inside).toEqual([...inside].sort((a, b) => a - b))
          expectOnlyHeadingsChanged(document, edit.pieces)
          expect(outcome(document, edit).isAsMeant).toBe(true)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('give back the text when a section is moved away and back', () => {
    fc.assert(
      fc.property(documents, fc.nat(), (document, from) => {
        const tops = childrenOf(document)
        fc.pre(tops.length > 1 && /\n[ \t]*\r?\n$/.test(document.text))
        const moved = pick(tops.slice(0, -1), from)
        const next = tops[tops.indexOf(moved) + 1] as Section
        const away = moveSection(
          document,
          moved.chunkId,
          { place: 'after', chunkId: next.chunkId },
          'line',
        )
        const there = edited(write(document, away.pieces))
        const back = moveSection(
          there,
          moved.chunkId,
          { place: 'before', chunkId: next.chunkId },
          'line',
        )
        if (moved.level === next.level) expect(write(there, back.pieces)).toBe(document.text)
      }),
    )
  })

  it('keep every byte of the sections that are put in another order', () => {
    fc.assert(
      fc.property(documents, fc.nat(), fc.infiniteStream(fc.nat()), (document, at, order) => {
        const parents = [undefined, ...sectionsOf(document).map(({ chunkId }) => chunkId)]
        const parentId = pick(parents, at)
        const ids = childrenOf(document, parentId).map(({ chunkId }) => chunkId)
        const wanted = ids
          .map((id) => ({ id, key: order.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ id }) => id)
        const edit = reorderSections(document, parentId, wanted, 'blank')
        expectOnlyHeadingsChanged(document, edit.pieces)
        const { text, isAsMeant } = outcome(document, edit)
        expect(isAsMeant).toBe(true)
        expect(childrenOf(edited(text), parentId).map(({ chunkId }) => chunkId)).toEqual(wanted)
        const same = reorderSections(document, parentId, ids, 'blank')
        expect(write(document, same.pieces)).toBe(document.text)
      }),
      { numRuns: 50 },
    )
  })

  it('remove a section and nothing else', () => {
    fc.assert(
      fc.property(documents, fc.nat(), (document, at) => {
        const section = pick(sectionsOf(document), at)
        const edit = deleteChunk(document, section.chunkId, 'line')
        const start = startOf(document, section)
        expect(keptOffsets(edit.pieces)).toEqual([
          ...Array.from({ length: start }, (_, n) => n),
          ...Array.from(
            { length: document.text.length - section.span.end },
            (_, n) => section.span.end + n,
          ),
        ])
        expect(added(edit.pieces)).toMatch(/^(?:\r?\n)?$/)
      }),
    )
  })

  it('put new words exactly in the place of a quote', () => {
    fc.assert(
      fc.property(documents, fc.nat(), fc.string(), (document, at, content) => {
        const { chunkId, quote } = pick(document.chunks, at)
        const { text } = document
        const first = document.chunks.find((chunk) => chunk.chunkId === chunkId)?.quote ?? quote
        expect(write(document, replaceChunk(document, chunkId, content))).toBe(
          text.slice(0, first.start) + content + text.slice(first.end),
        )
      }),
    )
  })
})

/** How deep the deepest heading would get. */
function deepest(
  document: EditedDocument,
  moved: Section,
  { place, chunkId }: { place: string; chunkId: string },
): number {
  const beside = sectionsOf(document).find((one) => one.chunkId === chunkId) as Section
  const height = Math.max(...subtreeOf(document, moved).map(({ level }) => level)) - moved.level
  const inner = childrenOf(document, chunkId).map(({ level }) => level)
  return (
    (place === 'into' ? Math.max(beside.level + 1, moved.level, ...inner) : beside.level) + height
  )
}
