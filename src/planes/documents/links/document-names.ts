import { foldName } from './fold-name.ts'

/** Front matter may call a document so many other names; more are left out. */
const MAX_ALIASES = 100

export type NameKind = 'path' | 'title' | 'alias' | 'segment'

export interface StoredName {
  readonly kind: NameKind
  /** A path as it is, anything else folded. */
  readonly name: string
}

/** What gives a document its names. */
export interface NamedDocument {
  readonly path: string
  readonly title?: string | undefined
  /** Front matter; `aliases` or `alias`, a text or a list of texts. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined
}

/** Everything that a document may be called in a link, each name once per kind. */
export function namesOf({ path, title, fields }: NamedDocument): readonly StoredName[] {
  const last = path.slice(path.lastIndexOf('/') + 1)
  const folded = [
    ...fold('title', title === undefined ? [] : [title]),
    ...fold('alias', aliasesOf(fields)),
    // A wiki link may give the last segment or the whole path, both without the ending.
    ...fold('segment', [last, path]),
  ]
  return [{ kind: 'path', name: path }, ...folded]
}

function fold(kind: NameKind, names: readonly string[]): readonly StoredName[] {
  const folded = new Set(names.map(foldName).filter((name) => name !== ''))
  return [...folded].map((name) => ({ kind, name }))
}

function aliasesOf(fields: NamedDocument['fields']): readonly string[] {
  const given = fields?.['aliases'] ?? fields?.['alias']
  const aliases: readonly unknown[] = Array.isArray(given) ? given : [given]
  return aliases.filter((alias) => typeof alias === 'string').slice(0, MAX_ALIASES)
}
