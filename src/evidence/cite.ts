import { HeddleError } from '../core/errors.ts'
import type { Instant } from '../core/instant.ts'
import type { Transaction } from '../engines/postgres/engine.ts'
import { isSameOrWiderScope, scopeOfId, type ScopeRef, type ScopeSet } from '../identity/scope.ts'
import type { Locator, Stance } from './evidence.ts'
import { findQuote, type FoundQuote, type Quotation } from './find-quote.ts'
import { getPassage, getSourceId, listParts, type PassageName } from './passage.ts'
import { findSource } from './sources.ts'
import { holdSource } from './sql/hold-source.ts'
import { insertEvidence } from './sql/insert-evidence.ts'

export interface EvidenceScopes {
  /** Where the evidence goes: the scope of what it speaks about. */
  readonly target: ScopeRef
  /** Where its source may lie. */
  readonly read: ScopeSet
}

export interface GivenEvidence extends PassageName, Quotation {
  readonly evidenceId: string
  readonly stance: Stance
  /** 0 to 10,000. */
  readonly confidence: number
  readonly locator?: Locator | undefined
  /** Who said that the span speaks for it; default: the caller, now. */
  readonly judge?:
    { readonly by: string; readonly at: Instant; readonly model?: string } | undefined
}

export interface AddedEvidence extends FoundQuote {
  readonly evidenceId: string
  readonly sourceId: string
  readonly revision: number
}

/**
 * Cites a span of a source that the transaction may read, in the scope of the evidence or a wider one. The
 * source cannot be deleted or erased before the transaction ends, so that nothing is derived from what
 * is gone.
 *
 * @throws HeddleError `NOT_FOUND`, `SOURCE_TOO_NARROW`, and what {@link findQuote} throws.
 */
export async function addEvidence(
  tx: Transaction,
  { target, read }: EvidenceScopes,
  given: GivenEvidence,
): Promise<AddedEvidence> {
  const sourceId = await getSourceId(tx, read, given)
  const scope = await holdReadable(tx, read, target, sourceId)
  // Read only now: before the lock was had, a turn may have been erased.
  const passage = await getPassage(tx, read, given)
  const found = await findQuote(passage, await listParts(tx, read, passage), given)
  const source = { tenantId: scope.tenantId, scopeId: scope.scopeId, sourceId }
  const { evidenceId, stance, confidence, locator, judge } = given
  const { revision } = passage
  const { chunkId, span } = found
  await tx.execute(
    insertEvidence(target, {
      evidenceId,
      source,
      revision,
      chunkId,
      span,
      stance,
      confidence,
      locator,
      judge,
    }),
  )
  return { ...found, evidenceId, sourceId, revision }
}

async function holdReadable(
  tx: Transaction,
  read: ScopeSet,
  target: ScopeRef,
  sourceId: string,
): Promise<ScopeRef> {
  const source = await findSource(tx, read, sourceId)
  if (source === undefined) throw new HeddleError('NOT_FOUND', { details: { id: sourceId } })
  const scope = scopeOfId(read, source.scopeId)
  if (!isSameOrWiderScope(scope, target)) {
    throw new HeddleError('SOURCE_TOO_NARROW', {
      details: { id: sourceId, source_scope: scope.kind, scope: target.kind },
    })
  }
  const [row] = await tx.query(holdSource({ ...scope, sourceId }))
  if (row?.['held'] !== true) throw new HeddleError('NOT_FOUND', { details: { id: sourceId } })
  return scope
}
