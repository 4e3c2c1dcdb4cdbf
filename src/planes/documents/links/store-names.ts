import type { Transaction } from '../../../engines/postgres/engine.ts'
import type { ScopeRef } from '../../../identity/scope.ts'
import { type NamedDocument, namesOf } from './document-names.ts'
import { retireNames, upsertNames } from './sql/write-names.ts'

/** A document with what it is called now. */
export type NamedSource = NamedDocument & { readonly sourceId: string }

/**
 * Makes the names of a document what it is called now: path, title, aliases of its front matter, last
 * segment of its path. Names that it had before stay, as former ones. To be called by whatever writes a
 * revision, describes or moves a document, in the same transaction.
 */
export async function storeNames(
  tx: Transaction,
  scope: ScopeRef,
  source: NamedSource,
): Promise<void> {
  const names = namesOf(source)
  await tx.execute(retireNames(scope, source.sourceId, names))
  await tx.execute(upsertNames(scope, source.sourceId, names))
}
