import { randomUUID } from 'node:crypto'

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

export type TenantId = Branded<'TenantId'>
export type ScopeId = Branded<'ScopeId'>
export type RunId = Branded<'RunId'>
export type ApiKeyId = Branded<'ApiKeyId'>
export type KvEntryId = Branded<'KvEntryId'>
export type SourceId = Branded<'SourceId'>
export type ChunkId = Branded<'ChunkId'>
export type EntityId = Branded<'EntityId'>
export type FactId = Branded<'FactId'>
export type FactVersionId = Branded<'FactVersionId'>
export type GraphChangeId = Branded<'GraphChangeId'>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** Where new ids come from; a test may pass a seeded one. */
export type NewId = () => string

/** Random version 4 UUIDs. Ids are never accepted from a caller on create. */
export const newRandomId: NewId = () => randomUUID()
