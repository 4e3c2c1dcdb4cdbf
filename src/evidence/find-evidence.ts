import type { Transaction } from '../engines/postgres/engine.ts'
import type { ScopeSet } from '../identity/scope.ts'
import type { Evidence } from './evidence.ts'
import { toEvidence } from './evidence-rows.ts'
import { selectEvidence } from './sql/select-evidence.ts'

export async function findEvidence(
  tx: Transaction,
  read: ScopeSet,
  evidenceId: string,
): Promise<Evidence | undefined> {
  const [row] = await tx.query(selectEvidence(read, evidenceId))
  return row && toEvidence(row)
}
