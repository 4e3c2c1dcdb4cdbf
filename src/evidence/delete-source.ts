import type { Instant } from '../core/instant.ts'
import type { Transaction } from '../engines/postgres/engine.ts'
import { makeScopeSet, type ScopeRef, type ScopeSet } from '../identity/scope.ts'
import type { ForgottenRecord } from '../operation/record.ts'
import { toSource } from './rows.ts'
import type { Source } from './source.ts'
import {
  lockSourceById,
  selectDeletedSource,
  selectIdsOfSource,
  selectSourceKeyedHash,
  tombstoneSource,
} from './sql/deleted-source.ts'
import { deleteRowsOfSource, SOURCE_TABLES } from './sql/erase-source.ts'
import { eraseEvidence } from './sql/select-evidence.ts'

/** A source that was deleted: who did it is its provenance. */
export interface DeletedSource {
  readonly source: Source
  readonly deletedAt: Instant
  readonly deletedBy: string
}

/** What is out of retrieval while a source is deleted. */
const RETRIEVAL_TABLES = ['recall_item', 'link', 'source_name'] as const

export async function findDeletedSource(
  tx: Transaction,
  read: ScopeSet,
  sourceId: string,
): Promise<DeletedSource | undefined> {
  const [row] = await tx.query(selectDeletedSource(read, sourceId))
  if (row === undefined) return undefined
  return {
    source: toSource(row),
    deletedAt: row['deleted_at'] as Instant,
    deletedBy: row['deleted_by'] as string,
  }
}

/**
 * Takes a source, with everything that recall and links know of it, out of retrieval. Waits for whoever
 * is deriving from it; what comes after finds it gone. Undefined when it is not there.
 */
export async function deleteSource(
  tx: Transaction,
  scope: ScopeRef,
  sourceId: string,
): Promise<DeletedSource | undefined> {
  const [locked] = await tx.query(lockSourceById(scope, sourceId))
  if (locked === undefined || locked['is_deleted'] === true) return undefined
  await tx.query(tombstoneSource(scope, sourceId))
  for (const table of RETRIEVAL_TABLES) {
    await tx.execute(deleteRowsOfSource(scope, table, sourceId))
  }
  return findDeletedSource(tx, makeScopeSet([scope]), sourceId)
}

/**
 * Erases a source for good: every row that holds something of it, and of evidence that cites it the hash
 * and the locator. Undefined when it is not there.
 */
export async function eraseSource(
  tx: Transaction,
  scope: ScopeRef,
  sourceId: string,
): Promise<ForgottenRecord | undefined> {
  const [locked] = await tx.query(lockSourceById(scope, sourceId))
  if (locked === undefined) return undefined
  const [hashed] = await tx.query(selectSourceKeyedHash(scope, sourceId))
  const parts = await tx.query(selectIdsOfSource(scope, sourceId))
  const [cited] = await tx.query(eraseEvidence(scope, sourceId, undefined))
  const counts: Record<string, number> = { evidence: cited?.['erased'] as number }
  for (const table of SOURCE_TABLES) {
    counts[table] = await tx.execute(deleteRowsOfSource(scope, table, sourceId))
  }
  return {
    recordIds: [sourceId, ...parts.map((row) => row['id'] as string)],
    counts,
    hash: hashed?.['hash'] as string,
  }
}
