import type { Transaction } from '../../../engines/postgres/engine.ts'
import type { ScopeSet } from '../../../identity/scope.ts'
import type { NameKind } from './document-names.ts'
import { findHeading, type Section } from './find-heading.ts'
import {
  answeredNames,
  type NameHolder,
  type Resolution,
  resolveLink,
  type StoredLink,
  toHolder,
  toLink,
  wantedNames,
} from './resolve-link.ts'
import { type LinkPlace, selectLinksOf, selectLinksTo } from './sql/select-links.ts'
import { selectNameHolders, selectNamesOf, type WantedName } from './sql/select-names.ts'
import { selectSections } from './sql/select-sections.ts'

/** A link with where it leads now. */
export interface ResolvedLink {
  readonly link: StoredLink
  readonly resolution: Resolution
  /** The section that its anchor names in the target. */
  readonly headingId?: string
}

/** A link to a document, with the document it stands in. */
export interface Backlink {
  readonly link: StoredLink
  readonly path: string
  readonly title?: string
  readonly isAmbiguous: boolean
}

/** Links of one document from a position on, resolved. */
export async function readLinks(
  tx: Transaction,
  read: ScopeSet,
  sourceId: string,
  after: number | undefined,
  limit: number,
): Promise<readonly ResolvedLink[]> {
  const links = (await tx.query(selectLinksOf(read, sourceId, after, limit))).map(toLink)
  const resolve = await makeResolver(tx, read, links, undefined)
  const resolved = links.map((link) => ({ link, resolution: resolve(link) }))
  const sections = await readSections(tx, read, resolved.flatMap(anchoredIn))
  return resolved.map(({ link, resolution }) => {
    const [targetId] = anchoredIn({ link, resolution })
    const found =
      targetId === undefined
        ? undefined
        : findHeading(sections.get(targetId) ?? [], link.kind, link.anchor ?? '')
    return { link, resolution, ...(found !== undefined && { headingId: found.chunkId }) }
  })
}

/**
 * At most `limit` links that lead to a document now, from a place on. A link that merely looks for a name
 * the document has, while another one is meant, is none.
 */
export async function readBacklinks(
  tx: Transaction,
  read: ScopeSet,
  sourceId: string,
  after: LinkPlace | undefined,
  limit: number,
): Promise<readonly Backlink[]> {
  const names = await readAnsweredNames(tx, read, sourceId)
  const found: Backlink[] = []
  let from = after
  for (;;) {
    const rows = await tx.query(selectLinksTo(read, names, from, limit))
    const links = rows.map(toLink)
    const resolve = await makeResolver(tx, read, links, sourceId)
    for (const [index, link] of links.entries()) {
      const resolution = resolve(link)
      if (!leadsTo(resolution, sourceId)) continue
      found.push({ link, isAmbiguous: resolution.state === 'ambiguous', ...whereOf(rows[index]) })
    }
    const last = links.at(-1)
    if (found.length >= limit || links.length < limit || last === undefined)
      return found.slice(0, limit)
    from = last
  }
}

function whereOf(row: Readonly<Record<string, unknown>> | undefined) {
  const title = row?.['title'] as string | null | undefined
  return { path: row?.['path'] as string, ...(title != null && { title }) }
}

function leadsTo(resolution: Resolution, sourceId: string): boolean {
  return (
    'candidates' in resolution &&
    resolution.candidates.some((candidate) => candidate.sourceId === sourceId)
  )
}

/** Looks all names of some links up at once. */
async function makeResolver(
  tx: Transaction,
  read: ScopeSet,
  links: readonly StoredLink[],
  favouriteId: string | undefined,
): Promise<(link: StoredLink) => Resolution> {
  const wanted = new Map(links.flatMap(wantedNames).map((name) => [keyOf(name), name]))
  const statement = selectNameHolders(read, [...wanted.values()], favouriteId)
  const rows = wanted.size === 0 ? [] : await tx.query(statement)
  const held = groupBy(rows.map(toHolder), ({ kind, name }) =>
    keyOf({ name, isPath: kind === 'path' }),
  )
  return (link) => {
    const holders = wantedNames(link).flatMap(
      (name): readonly NameHolder[] => held.get(keyOf(name)) ?? [],
    )
    return resolveLink(link, holders, read.scopeIds)
  }
}

function keyOf({ name, isPath }: WantedName): string {
  return `${isPath ? 'path' : 'name'} ${name}`
}

async function readAnsweredNames(tx: Transaction, read: ScopeSet, sourceId: string) {
  const rows = await tx.query(selectNamesOf(read, sourceId))
  const names = rows.map((row) => ({ kind: row['kind'] as NameKind, name: row['name'] as string }))
  const answered = (isPath: boolean): readonly string[] => [
    ...new Set(
      names
        .filter(({ kind }) => (kind === 'path') === isPath)
        .flatMap(({ kind, name }) => answeredNames(kind, name)),
    ),
  ]
  return { paths: answered(true), folded: answered(false) }
}

/** The document in which the anchor of a link is to be found, if it has one. */
function anchoredIn({ link, resolution }: ResolvedLink): readonly string[] {
  if (link.anchor === undefined) return []
  if (resolution.state === 'here') return [link.sourceId]
  const [target] = 'candidates' in resolution ? resolution.candidates : []
  return target === undefined ? [] : [target.sourceId]
}

async function readSections(
  tx: Transaction,
  read: ScopeSet,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Section[]>> {
  if (sourceIds.length === 0) return new Map()
  const rows = await tx.query(selectSections(read, [...new Set(sourceIds)]))
  const sections = rows.map((row) => ({
    sourceId: row['source_id'] as string,
    chunkId: row['chunk_id'] as string,
    headingPath: row['heading_path'] as string[],
  }))
  return groupBy(sections, ({ sourceId }) => sourceId)
}

function groupBy<T>(values: readonly T[], keyOfValue: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const value of values) {
    const key = keyOfValue(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}
