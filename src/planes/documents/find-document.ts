import { HeddleError } from '../../core/errors.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import { findSource, findSourceByPath, type Source } from '../../evidence/index.ts'
import type { ScopeSet } from '../../identity/scope.ts'

/** How a caller names a document: exactly one of the two. */
export interface DocumentName {
  readonly id?: string | undefined
  readonly path?: string | undefined
}

/** @throws HeddleError `INPUT_INVALID` unless exactly one of id and path is given. */
export function assertOneName({ id, path }: DocumentName): void {
  if ((id === undefined) !== (path === undefined)) return
  const message = 'Expected either path or id'
  throw new HeddleError('INPUT_INVALID', {
    message,
    issues: [{ path: ['path'], code: 'one_of', message }],
  })
}

/** The live document of that id or path; of one path in several scopes the narrowest. */
export async function findDocument(
  tx: Transaction,
  read: ScopeSet,
  { id, path }: DocumentName,
): Promise<Source | undefined> {
  const found =
    id === undefined
      ? await findSourceByPath(tx, read, path ?? '')
      : await findSource(tx, read, id.toLowerCase())
  return found?.kind === 'document' ? found : undefined
}

/**
 * The same, where it has to be there.
 *
 * @throws HeddleError `NOT_FOUND`.
 */
export async function getDocument(
  tx: Transaction,
  read: ScopeSet,
  name: DocumentName,
): Promise<Source> {
  const found = await findDocument(tx, read, name)
  if (found === undefined) throw documentNotFound(name)
  return found
}

export function documentNotFound({ id, path }: DocumentName): HeddleError {
  return new HeddleError('NOT_FOUND', { details: id === undefined ? { path } : { id } })
}

/** @throws HeddleError `NOT_FOUND` when the document never had that revision. */
export function resolveRevision(document: Source, asked: number | undefined): number {
  const revision = asked ?? document.revision
  if (revision <= document.revision) return revision
  throw new HeddleError('NOT_FOUND', {
    message: 'The document has no such revision',
    details: { id: document.sourceId, revision, newest: document.revision },
  })
}
