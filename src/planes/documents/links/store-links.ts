import type { ChunkId } from '../../../core/ids.ts'
import type { Transaction } from '../../../engines/postgres/engine.ts'
import type { ScopeRef } from '../../../identity/scope.ts'
import type { ParsedLink } from '../document.ts'
import { targetNameOf } from './link-target.ts'
import {
  deleteLinks,
  insertLinks,
  type LinkRow,
  selectTargets,
  updateTargets,
} from './sql/write-links.ts'

/** Links of one statement. */
const BATCH_SIZE = 1000

/** A document and where it is now. */
export interface LinkingSource {
  readonly sourceId: string
  readonly path: string
}

/**
 * Replaces the links of a document by those of its newest revision, in the transaction that writes it.
 * Where they lead is not decided here: they are looked up whenever they are read.
 */
export async function storeLinks(
  tx: Transaction,
  scope: ScopeRef,
  source: LinkingSource,
  links: readonly ParsedLink[],
  chunkIdAt: (offset: number) => ChunkId,
): Promise<void> {
  await tx.execute(deleteLinks(scope, source.sourceId))
  for (let start = 0; start < links.length; start += BATCH_SIZE) {
    const rows = links
      .slice(start, start + BATCH_SIZE)
      .map((link, index) => toRow(source.path, link, start + index, chunkIdAt))
    await tx.execute(insertLinks(scope, source.sourceId, rows))
  }
}

/** Computes where the links of a document lead after it moved: relative ones start at its new path. */
export async function rebaseLinks(
  tx: Transaction,
  scope: ScopeRef,
  source: LinkingSource,
): Promise<void> {
  const rows = await tx.query(selectTargets(scope, source.sourceId))
  const moved = rows.flatMap((row) => {
    const link = { kind: row['kind'] as ParsedLink['kind'], target: row['target'] as string }
    const name = targetNameOf(source.path, link) ?? null
    return name === row['target_name'] ? [] : [{ position: row['position'] as number, name }]
  })
  for (let start = 0; start < moved.length; start += BATCH_SIZE) {
    await tx.execute(updateTargets(scope, source.sourceId, moved.slice(start, start + BATCH_SIZE)))
  }
}

/** A part that was clipped may end in half a character, which nothing can store. */
function toRow(
  documentPath: string,
  link: ParsedLink,
  position: number,
  chunkIdAt: (offset: number) => ChunkId,
): LinkRow {
  return {
    position,
    chunk_id: chunkIdAt(link.span.start),
    kind: link.kind,
    target: link.target.toWellFormed(),
    label: link.label?.toWellFormed() ?? null,
    target_name: targetNameOf(documentPath, link) ?? null,
    anchor: link.anchor?.toWellFormed() ?? null,
    start_offset: link.span.start,
    end_offset: link.span.end,
  }
}
