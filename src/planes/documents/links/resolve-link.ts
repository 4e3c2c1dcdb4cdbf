import type { Row } from '../../../engines/postgres/engine.ts'
import type { Span } from '../../../evidence/index.ts'
import type { ParsedLink } from '../document.ts'
import type { NameKind } from './document-names.ts'
import { isOutside } from './link-target.ts'
import type { WantedName } from './sql/select-names.ts'

/** A link as it is stored. */
export interface StoredLink {
  readonly sourceId: string
  readonly scopeId: string
  readonly position: number
  readonly chunkId: string
  readonly kind: ParsedLink['kind']
  readonly target: string
  readonly label?: string
  readonly targetName?: string
  readonly anchor?: string
  readonly span: Span
}

/** A document that is, or was, called so. */
export interface NameHolder {
  readonly kind: NameKind
  readonly name: string
  readonly isFormer: boolean
  readonly sourceId: string
  readonly scopeId: string
  readonly path: string
  readonly title?: string
}

/** Where a link leads. The first candidate is the target; more than one: it is ambiguous. */
export type Resolution =
  | { readonly state: 'resolved' | 'ambiguous'; readonly candidates: readonly NameHolder[] }
  /** `here`: a place in the document that the link stands in. */
  | { readonly state: 'here' | 'outside' | 'unresolved' }

/** The names that may lead a link to its document, the best first. */
export function wantedNames({ kind, targetName }: StoredLink): readonly WantedName[] {
  if (targetName === undefined) return []
  if (kind === 'wiki') return [{ name: targetName, isPath: false }]
  // Sites link to pages without the ending of their files.
  return [targetName, `${targetName}.md`].map((name) => ({ name, isPath: true }))
}

/** The names under which links may look for a document that is called so. */
export function answeredNames(kind: NameKind, name: string): readonly string[] {
  return kind === 'path' && name.endsWith('.md') ? [name, name.slice(0, -'.md'.length)] : [name]
}

/**
 * Decides where a link leads. What is called so now goes before what was; a path before the same without
 * its ending. Paths are unique in a scope, so a link that names one leads into the scope of its own
 * document, else into the narrowest that has it; names are not, so all that have one are candidates, the
 * narrowest scope first.
 *
 * @param holders in the order of `selectNameHolders`, also those of other links.
 * @param scopeIds from narrow to wide.
 */
export function resolveLink(
  link: StoredLink,
  holders: readonly NameHolder[],
  scopeIds: readonly string[],
): Resolution {
  const wanted = wantedNames(link)
  if (wanted.length === 0) return { state: stateWithoutName(link) }
  for (const isFormer of [false, true]) {
    for (const { name, isPath } of wanted) {
      const called = holders.filter(
        (holder) =>
          holder.isFormer === isFormer &&
          holder.name === name &&
          (holder.kind === 'path') === isPath,
      )
      const candidates = sortCandidates(link, called, isPath, scopeIds)
      if (candidates.length > 0) {
        return { state: candidates.length === 1 ? 'resolved' : 'ambiguous', candidates }
      }
    }
  }
  return { state: 'unresolved' }
}

function stateWithoutName(link: StoredLink): 'here' | 'outside' | 'unresolved' {
  if (isOutside(link)) return 'outside'
  return link.target.trim() === '' ? 'here' : 'unresolved'
}

/** Each document once. */
function sortCandidates(
  link: StoredLink,
  called: readonly NameHolder[],
  isPath: boolean,
  scopeIds: readonly string[],
): readonly NameHolder[] {
  const once = [...new Map(called.map((holder) => [holder.sourceId, holder])).values()]
  const rank = ({ scopeId }: NameHolder): number =>
    isPath && scopeId === link.scopeId ? -1 : scopeIds.indexOf(scopeId)
  const sorted = once.sort((a, b) => rank(a) - rank(b))
  const [best] = sorted
  return isPath ? sorted.filter(({ scopeId }) => scopeId === best?.scopeId) : sorted
}

export function toLink(row: Row): StoredLink {
  const label = row['label'] as string | null
  const targetName = row['target_name'] as string | null
  const anchor = row['anchor'] as string | null
  return {
    sourceId: row['source_id'] as string,
    scopeId: row['scope_id'] as string,
    position: row['position'] as number,
    chunkId: row['chunk_id'] as string,
    kind: row['kind'] as StoredLink['kind'],
    target: row['target'] as string,
    span: { start: row['start_offset'] as number, end: row['end_offset'] as number },
    ...(label !== null && { label }),
    ...(targetName !== null && { targetName }),
    ...(anchor !== null && { anchor }),
  }
}

export function toHolder(row: Row): NameHolder {
  const title = row['title'] as string | null
  return {
    kind: row['kind'] as NameKind,
    name: row['name'] as string,
    isFormer: row['is_former'] as boolean,
    sourceId: row['source_id'] as string,
    scopeId: row['scope_id'] as string,
    path: row['path'] as string,
    ...(title !== null && { title }),
  }
}
