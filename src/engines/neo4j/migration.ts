import { createHash } from 'node:crypto'

import { HeddleError } from '../../core/errors.ts'
import { splitStatements } from './split-statements.ts'

/**
 * One numbered step of the graph's schema. A `schema` migration holds constraints and indexes, a
 * `data` migration changes nodes and relationships; Neo4j refuses both in one transaction, so one
 * file never holds both.
 */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly kind: 'schema' | 'data'
  readonly statements: readonly string[]
  /** Constraints and indexes that the migration creates and that must be online before it counts. */
  readonly creates: readonly string[]
  /** SHA-256 of the text with line ends made equal. */
  readonly checksum: string
}

const FILE_NAME = /^(\d{6})-([a-z0-9]+(?:-[a-z0-9]+)*)\.cypher$/
const SCHEMA =
  /^(CREATE|DROP)\s+(CONSTRAINT|(?:(?:RANGE|TEXT|POINT|FULLTEXT|VECTOR|LOOKUP)\s+)?INDEX)\b/i
const REPEATABLE_CREATE = /^CREATE\s+(?:\w+\s+)?(?:CONSTRAINT|INDEX)\s+(\w+)\s+IF\s+NOT\s+EXISTS\b/i
const REPEATABLE_DROP = /^DROP\s+(?:CONSTRAINT|INDEX)\s+\w+\s+IF\s+EXISTS\b/i

/**
 * Parses the files of a series into the order of their numbers.
 *
 * @throws HeddleError `MIGRATION_FAILED` when a file breaks a rule or the numbers are not 1, 2, 3, …
 */
export function parseMigrations(
  files: readonly { readonly name: string; readonly text: string }[],
): readonly Migration[] {
  const migrations = files
    .map(({ name, text }) => parseMigration(name, text))
    .sort((a, b) => a.version - b.version)
  const stray = migrations.find(({ version }, index) => version !== index + 1)
  if (stray === undefined) return migrations
  throw new HeddleError('MIGRATION_FAILED', {
    details: {
      engine: 'neo4j',
      version: stray.version,
      migration: stray.name,
      reason: 'numbering',
    },
  })
}

/** @throws HeddleError `MIGRATION_FAILED` with the reason when the file breaks a rule. */
export function parseMigration(fileName: string, text: string): Migration {
  const match = FILE_NAME.exec(fileName)
  if (match === null) throw malformed(fileName, 'file_name')
  const statements = splitStatements(text)
  if (statements.length === 0) throw malformed(fileName, 'empty')
  const kind = kindOf(fileName, statements)
  return {
    version: Number(match[1]),
    name: match[2] ?? '',
    kind,
    statements,
    creates: kind === 'schema' ? statements.flatMap((text) => createdName(fileName, text)) : [],
    checksum: createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex'),
  }
}

function kindOf(fileName: string, statements: readonly string[]): Migration['kind'] {
  const schema = statements.filter((text) => SCHEMA.test(text)).length
  if (schema === 0) return 'data'
  if (schema === statements.length) return 'schema'
  throw malformed(fileName, 'mixed')
}

/** A schema change and its ledger row are two transactions: a crash between them repeats the change. */
function createdName(fileName: string, text: string): string[] {
  const name = REPEATABLE_CREATE.exec(text)?.[1]
  if (name !== undefined) return [name]
  if (REPEATABLE_DROP.test(text)) return []
  throw malformed(fileName, 'not_repeatable')
}

function malformed(file: string, reason: string): HeddleError {
  return new HeddleError('MIGRATION_FAILED', { details: { engine: 'neo4j', file, reason } })
}
