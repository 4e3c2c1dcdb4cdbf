import { HeddleError } from '../../core/errors.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import { eraseEvidence, lockSourceById } from '../../evidence/index.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import { removeItem } from '../../items/index.ts'
import type { ForgottenRecord } from '../../operation/record.ts'
import {
  eraseTurn,
  selectConversationOfTurn,
  selectSourceOfChunk,
  selectTurnKeyedHash,
} from './sql/erase-turn.ts'

/** Erases what one turn of a conversation says; its place stays. Undefined when it is not there, or erased already. */
export async function forgetTurn(
  tx: Transaction,
  scope: ScopeRef,
  turnId: string,
): Promise<ForgottenRecord | undefined> {
  const [turn] = await tx.query(selectConversationOfTurn(scope, turnId))
  if (turn === undefined) return undefined
  const sourceId = turn['source_id'] as string
  // Whoever cites the turn holds its source until it commits.
  await tx.query(lockSourceById(scope, sourceId))
  const [hashed] = await tx.query(selectTurnKeyedHash(scope, turnId))
  if (hashed === undefined) return undefined
  const [cited] = await tx.query(eraseEvidence(scope, sourceId, turnId))
  await tx.execute(eraseTurn(scope, turnId))
  await removeItem(tx, scope, [turnId])
  return {
    recordIds: [turnId],
    counts: { turn: 1, evidence: cited?.['erased'] as number },
    hash: hashed['hash'] as string,
  }
}

/** @throws HeddleError `NOT_FORGETTABLE` for a chunk that is there: its text is part of its source's revisions. */
export async function refuseToForgetChunk(
  tx: Transaction,
  scope: ScopeRef,
  chunkId: string,
): Promise<undefined> {
  const [row] = await tx.query(selectSourceOfChunk(scope, chunkId))
  if (row === undefined) return undefined
  throw new HeddleError('NOT_FORGETTABLE', {
    details: { id: chunkId, source_id: row['source_id'] },
  })
}
