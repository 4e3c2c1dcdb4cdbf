import { z } from 'zod'

import type { SourceId } from '../core/ids.ts'
import type { Instant } from '../core/instant.ts'
import type { Row } from '../engines/postgres/engine.ts'
import { type Envelope, ENVELOPE_ROW, toEnvelope } from '../provenance/envelope.ts'
import type { Source, SourceKind, SourceRevision } from './source.ts'

const EnvelopeColumns = z.object(ENVELOPE_ROW)

/** Select list of everything {@link toSource} reads. */
export const SOURCE_COLUMNS = `
  source_id, scope_id, kind, path, name, title, type, tags, fields, revision,
  heddle.instant(observed_at) as observed_at, heddle.instant(inserted_at) as inserted_at,
  heddle.instant(updated_at) as updated_at, agent, user_name,
  session, run_id, model, compaction_generation, origin`

export function toSource(row: Row): Source {
  const optional = {
    path: row['path'] as string | null,
    name: row['name'] as string | null,
    title: row['title'] as string | null,
    type: row['type'] as string | null,
    fields: parseFields(row['fields'] as string | null),
    observedAt: row['observed_at'] as Instant | null,
  }
  return {
    sourceId: row['source_id'] as SourceId,
    scopeId: row['scope_id'] as string,
    kind: row['kind'] as SourceKind,
    tags: row['tags'] as string[],
    revision: row['revision'] as number,
    insertedAt: row['inserted_at'] as Instant,
    updatedAt: row['updated_at'] as Instant,
    provenance: readEnvelope(row),
    ...withoutNulls(optional),
  }
}

export function toRevision(row: Row): SourceRevision {
  const optional = {
    text: row['text'] as string | null,
    hash: row['text_hash'] as string | null,
    observedAt: row['observed_at'] as Instant | null,
  }
  return {
    revision: row['revision'] as number,
    length: row['length'] as number,
    insertedAt: row['inserted_at'] as Instant,
    ...withoutNulls(optional),
  }
}

/** Reads the envelope columns of any row. */
export function readEnvelope(row: Row): Envelope {
  return toEnvelope(EnvelopeColumns.parse(row))
}

type WithoutNulls<T> = { readonly [K in keyof T]?: NonNullable<T[K]> }

/** Drops what is null: an absent value is an absent property. */
export function withoutNulls<T extends Readonly<Record<string, unknown>>>(
  value: T,
): WithoutNulls<T> {
  const kept = Object.entries(value).filter(([, held]) => held !== null && held !== undefined)
  return Object.fromEntries(kept) as WithoutNulls<T>
}

function parseFields(text: string | null): Readonly<Record<string, unknown>> | null {
  return text === null ? null : (JSON.parse(text) as Readonly<Record<string, unknown>>)
}
