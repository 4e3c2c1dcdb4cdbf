import type { Instant } from '../../core/instant.ts'
import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'

export interface NewRevision {
  readonly sourceId: string
  readonly revision: number
  /** With its SHA-256 as hex; absent for a conversation. */
  readonly text?: { readonly content: string; readonly hash: string }
  /** UTF-16 code units that this revision brought. */
  readonly length: number
  readonly observedAt?: Instant
}

export function insertRevision(scope: ScopeRef, added: NewRevision): Statement {
  return {
    name: 'source_revision.insert',
    text: `
      insert into heddle.source_revision (tenant_id, scope_id, source_id, revision, text, text_hash, length,
        observed_at)
      values ($1, $2, $3, $4, $5, decode($6, 'hex'), $7, $8)`,
    values: [
      scope.tenantId,
      scope.scopeId,
      added.sourceId,
      added.revision,
      added.text?.content ?? null,
      added.text?.hash ?? null,
      added.length,
      added.observedAt ?? null,
    ],
  }
}
