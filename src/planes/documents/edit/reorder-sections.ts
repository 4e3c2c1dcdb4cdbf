import { HeddleError } from '../../../core/errors.ts'
import {
  childrenOf,
  type EditedDocument,
  getSection,
  type Section,
  sectionsOf,
  startOf,
  subtreeOf,
} from './outline.ts'
import { joinParts, type Joint, keep, type Part } from './pieces.ts'
import { relevelSection } from './relevel.ts'
import { expect, type ExpectedSection, type StructuralEdit } from './structural-edit.ts'

/**
 * Puts the sections directly inside another (or at the top) into the given order. One that would be read
 * as part of the one before it, because its heading is deeper, is lifted to that one's level.
 *
 * @throws HeddleError `NOT_FOUND`, `DOCUMENT_EDIT_REFUSED`; `INPUT_INVALID` unless `order` names each of them once.
 */
export function reorderSections(
  document: EditedDocument,
  parentId: string | undefined,
  order: readonly string[],
  joint: Joint,
): StructuralEdit {
  if (parentId !== undefined) getSection(document, parentId)
  const children = childrenOf(document, parentId)
  const ordered = inOrder(children, order)
  const parts: Part[] = []
  const sections: ExpectedSection[] = []
  let level = Infinity
  for (const child of ordered) {
    level = Math.min(level, child.level)
    parts.push(relevelSection(document, child, level))
    const delta = level - child.level
    for (const inner of subtreeOf(document, child))
      sections.push(expect(inner, inner.level + delta))
  }
  const [first] = children
  const last = children.at(-1)
  const { length } = document.text
  const start = first === undefined ? length : startOf(document, first)
  const end = last?.span.end ?? length
  const inside = new Set(children.flatMap((child) => subtreeOf(document, child)))
  const outside = sectionsOf(document).filter((section) => !inside.has(section))
  const before = outside.filter((section) => startOf(document, section) < start)
  return {
    pieces: joinParts(document.text, [keep(0, start), ...parts, keep(end, length)], joint),
    sections: [
      ...before.map((section) => expect(section)),
      ...sections,
      ...outside.slice(before.length).map((section) => expect(section)),
    ],
  }
}

function inOrder(children: readonly Section[], order: readonly string[]): readonly Section[] {
  const byId = new Map(children.map((child) => [child.chunkId, child]))
  const ordered = order.map((id) => byId.get(id)).filter((child) => child !== undefined)
  const isWhole =
    ordered.length === order.length &&
    new Set(ordered).size === children.length &&
    ordered.length === children.length
  if (isWhole) return ordered
  const message = 'order names each section directly inside the parent exactly once'
  throw new HeddleError('INPUT_INVALID', {
    message,
    issues: [{ path: ['order'], code: 'not_a_permutation', message }],
    details: { sections: children.map(({ chunkId }) => chunkId) },
  })
}
