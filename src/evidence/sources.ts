import { setImmediate } from 'node:timers/promises'

import type { Instant } from '../core/instant.ts'
import type { Transaction } from '../engines/postgres/engine.ts'
import type { ScopeRef, ScopeSet } from '../identity/scope.ts'
import { toRevision, toSource } from './rows.ts'
import type { NewSource, Source, SourceDescription, SourceRevision } from './source.ts'
import { hashText } from './span.ts'
import { insertRevision } from './sql/insert-revision.ts'
import { insertSource } from './sql/insert-source.ts'
import { selectRevision } from './sql/select-revision.ts'
import {
  countSources,
  lockSource,
  selectSource,
  selectSourceByPath,
  selectSourcesPage,
} from './sql/select-source.ts'
import { updateSource } from './sql/update-source.ts'

/**
 * Gives the source of that path or name, made when it is missing, and locks it until the transaction
 * ends: whoever adds a revision next waits. A new one has revision 0.
 */
export async function openSource(
  tx: Transaction,
  scope: ScopeRef,
  wanted: NewSource,
): Promise<Source> {
  const [held] = await tx.query(lockSource(scope, wanted))
  if (held !== undefined) return toSource(held)
  await tx.execute(insertSource(scope, wanted))
  const [row] = await tx.query(lockSource(scope, wanted))
  if (row === undefined) throw new Error('a source that was just inserted is not there')
  return toSource(row)
}

/** Makes a source that has neither path nor name. */
export async function createSource(
  tx: Transaction,
  scope: ScopeRef,
  source: NewSource,
): Promise<void> {
  await tx.execute(insertSource(scope, source))
}

/** Appends a text as the next revision and makes `description` the current one. Returns the revision's number. */
export async function appendTextRevision(
  tx: Transaction,
  scope: ScopeRef,
  source: Pick<Source, 'sourceId' | 'revision'>,
  text: string,
  description: SourceDescription,
): Promise<number> {
  const revision = source.revision + 1
  const hash = hashText(text)
  // Hashing a large text and sending it each keep this thread for a while: others get their turn in between.
  await setImmediate()
  const added = {
    sourceId: source.sourceId,
    revision,
    text: { content: text, hash },
    length: text.length,
    ...(description.observedAt !== undefined && { observedAt: description.observedAt }),
  }
  await tx.execute(insertRevision(scope, added))
  await tx.execute(updateSource(scope, source.sourceId, revision, description))
  return revision
}

/** Appends a revision that holds no text of its own (turns are stored beside it). */
export async function appendTurnRevision(
  tx: Transaction,
  scope: ScopeRef,
  source: Source,
  length: number,
  observedAt: Instant | undefined,
): Promise<number> {
  const revision = source.revision + 1
  const added = { sourceId: source.sourceId, revision, length, ...(observedAt && { observedAt }) }
  await tx.execute(insertRevision(scope, added))
  await tx.execute(updateSource(scope, source.sourceId, revision, source))
  return revision
}

export async function findSource(
  tx: Transaction,
  read: ScopeSet,
  sourceId: string,
): Promise<Source | undefined> {
  const [row] = await tx.query(selectSource(read, sourceId))
  return row && toSource(row)
}

export async function findSourceByPath(
  tx: Transaction,
  read: ScopeSet,
  path: string,
): Promise<Source | undefined> {
  const [row] = await tx.query(selectSourceByPath(read, path))
  return row && toSource(row)
}

export async function findRevision(
  tx: Transaction,
  read: ScopeSet,
  sourceId: string,
  revision: number,
): Promise<SourceRevision | undefined> {
  const [row] = await tx.query(selectRevision(read, sourceId, revision))
  return row && toRevision(row)
}

export async function pageSources(
  tx: Transaction,
  read: ScopeSet,
  afterId: string | undefined,
  limit: number,
): Promise<readonly Source[]> {
  return (await tx.query(selectSourcesPage(read, afterId, limit))).map(toSource)
}

export async function countLiveSources(tx: Transaction, read: ScopeSet): Promise<number> {
  const [row] = await tx.query(countSources(read))
  return row?.['total'] as number
}
