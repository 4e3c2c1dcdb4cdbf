import type { Instant } from '../core/instant.ts'
import type { ItemKind } from '../items/index.ts'
import type { StoredItem } from './stored-item.ts'

/** Where answers may come from; an item must meet every part that is given. */
interface SourceSelector {
  readonly kinds?: readonly ItemKind[] | undefined
  readonly types?: readonly string[] | undefined
  /** Paths of documents; one that ends with a slash stands for everything below it, `/` for all documents. */
  readonly paths?: readonly string[] | undefined
}

/** A window without bounds still leaves out what has no time, unless that is included. */
interface ObservedWindow {
  readonly from?: Instant | undefined
  /** The first instant after the window. */
  readonly to?: Instant | undefined
  /** What becomes of items that do not say when they were observed. */
  readonly missing: 'include' | 'exclude'
}

/** What a caller narrows recall to; what is absent does not narrow. */
export interface RecallFilters {
  readonly sources?: SourceSelector | undefined
  readonly kinds?: readonly ItemKind[] | undefined
  readonly types?: readonly string[] | undefined
  /** An item must have all of them. */
  readonly tags?: readonly string[] | undefined
  /** Like those of the sources. */
  readonly path?: readonly string[] | undefined
  readonly observed?: ObservedWindow | undefined
}

export type FilterName = keyof RecallFilters

type Check = (item: StoredItem, filters: RecallFilters) => boolean

const CHECKS: Readonly<Record<FilterName, Check>> = {
  sources: (item, { sources }) =>
    isAmong(item.kind, sources?.kinds) &&
    isAmong(item.type, sources?.types) &&
    isBelow(item.path, sources?.paths),
  kinds: (item, { kinds }) => isAmong(item.kind, kinds),
  types: (item, { types }) => isAmong(item.type, types),
  tags: (item, { tags = [] }) => tags.every((tag) => item.tags.includes(tag)),
  path: (item, { path }) => isBelow(item.path, path),
  observed: ({ observedAt }, { observed }) => {
    if (observed === undefined) return true
    if (observedAt === undefined) return observed.missing === 'include'
    return (
      observedAt >= (observed.from ?? observedAt) &&
      (observed.to === undefined || observedAt < observed.to)
    )
  },
}

/** The filters that were given, in a fixed order. */
export function givenFilters(filters: RecallFilters): readonly FilterName[] {
  return (Object.keys(CHECKS) as FilterName[]).filter((name) => filters[name] !== undefined)
}

/** The given filters that a stored item does not meet. */
export function failedFilters(item: StoredItem, filters: RecallFilters): readonly FilterName[] {
  return givenFilters(filters).filter((name) => !CHECKS[name](item, filters))
}

function isAmong(value: string | undefined, allowed: readonly string[] | undefined): boolean {
  return allowed === undefined || (value !== undefined && allowed.includes(value))
}

function isBelow(path: string | undefined, paths: readonly string[] | undefined): boolean {
  if (paths === undefined) return true
  if (path === undefined) return false
  return paths.some(
    (allowed) =>
      path === allowed || allowed === '/' || (allowed.endsWith('/') && path.startsWith(allowed)),
  )
}
