import type { ChunkId } from '../../core/ids.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import { appendTextRevision } from '../../evidence/index.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import type { DocumentSettings, DocumentSource } from './held-document.ts'
import { rebaseLinks, storeLinks } from './links/store-links.ts'
import { storeNames } from './links/store-names.ts'
import type { RevisionPlan } from './plan-revision.ts'
import { updateDocument } from './sql/update-document.ts'
import { storeChunks, storeItems } from './store-chunks.ts'

/** What a document is to be, beside its text. */
export interface DocumentPlace extends DocumentSettings {
  readonly path: string
}

/**
 * Writes what was planned for a document whose row is locked: a revision, when the text or its division
 * changes, and in any case description, names, links and items. Returns the number of the newest revision.
 */
export async function storeRevision(
  tx: Transaction,
  scope: ScopeRef,
  held: DocumentSource,
  wanted: DocumentPlace,
  plan: RevisionPlan,
  isRevised: boolean,
): Promise<number> {
  const { sourceId } = held
  const { description, parsed } = plan
  const revision = isRevised
    ? await appendTextRevision(tx, scope, held, parsed.text, description)
    : held.revision
  if (!isRevised || !hasSettings(held, wanted)) {
    await tx.execute(updateDocument(scope, sourceId, wanted.path, description, wanted))
  }
  const source = { sourceId, path: wanted.path }
  if (isRevised) {
    await storeChunks(tx, scope, { sourceId, revision }, plan)
    await storeLinks(tx, scope, source, parsed.links ?? [], chunkLookup(plan))
  } else if (wanted.path !== held.path) await rebaseLinks(tx, scope, source)
  await storeItems(tx, scope, { sourceId, revision }, plan)
  const { title, fields } = description
  await storeNames(tx, scope, { ...source, title, fields })
  return revision
}

function hasSettings(held: DocumentSource, wanted: DocumentPlace): boolean {
  return (
    held.path === wanted.path &&
    held.chunkTokens === wanted.chunkTokens &&
    held.givenFields.join() === wanted.givenFields.join()
  )
}

/** Finds the leaf that a place in the text lies in. */
function chunkLookup({ parsed, match }: RevisionPlan): (offset: number) => ChunkId {
  const leaves = parsed.chunks.flatMap(({ level, span }, index) =>
    level === undefined ? [{ start: span.start, id: match.ids[index] as ChunkId }] : [],
  )
  return (offset) => {
    let low = 0
    let high = leaves.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((leaves[middle]?.start ?? Infinity) <= offset) low = middle
      else high = middle
    }
    const leaf = leaves[low]
    if (leaf === undefined) throw new Error('a link stands in no chunk')
    return leaf.id
  }
}
