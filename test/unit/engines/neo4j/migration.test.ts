import { describe, expect, it } from 'vitest'

import {
  type Migration,
  parseMigration,
  parseMigrations,
} from '../../../../src/engines/neo4j/migration.ts'
import { planMigrations } from '../../../../src/engines/neo4j/plan-migrations.ts'
import { splitStatements } from '../../../../src/engines/neo4j/split-statements.ts'

const INDEX = 'CREATE RANGE INDEX heddle_x IF NOT EXISTS FOR (n:X) ON (n.a)'

describe('splitStatements', () => {
  it('splits at semicolons only where they end something', () => {
    expect(
      splitStatements(`
        // first; not a statement
        RETURN 'a;b' AS x; /* ; */ RETURN "c;\\"d;" AS \`e;\`\`f\` ;;
        RETURN 1 // last; without an end
      `),
    ).toEqual([`RETURN 'a;b' AS x`, 'RETURN "c;\\"d;" AS `e;``f`', 'RETURN 1'])
  })

  it('takes comment signs inside quotes for text', () => {
    expect(splitStatements(`RETURN 'http://x; y' AS url; RETURN '/*' AS open;`)).toEqual([
      `RETURN 'http://x; y' AS url`,
      `RETURN '/*' AS open`,
    ])
  })

  it('finds nothing in comments alone', () => {
    expect(splitStatements(' // nothing;\n/* here; */ ; ')).toEqual([])
  })
})

describe('parseMigration', () => {
  it('reads number, name, kind and what is created', () => {
    expect(
      parseMigration('000012-add-x.cypher', `${INDEX};\nDROP CONSTRAINT old IF EXISTS;`),
    ).toMatchObject({
      version: 12,
      name: 'add-x',
      kind: 'schema',
      statements: [INDEX, 'DROP CONSTRAINT old IF EXISTS'],
      creates: ['heddle_x'],
    })
    expect(parseMigration('000001-fill.cypher', 'MATCH (n:X) SET n.a = 1')).toMatchObject({
      kind: 'data',
      creates: [],
    })
  })

  it('gives one checksum to one text, whatever its line ends', () => {
    const unix = parseMigration('000001-x.cypher', `${INDEX};\n// end\n`)
    expect(parseMigration('000001-x.cypher', `${INDEX};\r\n// end\r\n`).checksum).toBe(
      unix.checksum,
    )
    expect(parseMigration('000001-x.cypher', `${INDEX};\n// END\n`).checksum).not.toBe(
      unix.checksum,
    )
  })

  it.each([
    ['1-x.cypher', INDEX, 'file_name'],
    ['000001-Add.cypher', INDEX, 'file_name'],
    ['000001-x.cypher', '// nothing', 'empty'],
    ['000001-x.cypher', `${INDEX}; CREATE (:X)`, 'mixed'],
    ['000001-x.cypher', 'CREATE RANGE INDEX heddle_x FOR (n:X) ON (n.a)', 'not_repeatable'],
    [
      '000001-x.cypher',
      'CREATE CONSTRAINT IF NOT EXISTS FOR (n:X) REQUIRE n.a IS UNIQUE',
      'not_repeatable',
    ],
    ['000001-x.cypher', 'DROP INDEX heddle_x', 'not_repeatable'],
  ])('refuses %s: %s', (file, text, reason) => {
    expect(() => parseMigration(file, text)).toThrow(
      expect.objectContaining({
        code: 'MIGRATION_FAILED',
        details: { engine: 'neo4j', file, reason },
      }) as Error,
    )
  })
})

describe('planMigrations', () => {
  const known = [1, 2, 3].map((version) =>
    parseMigration(`00000${String(version)}-step.cypher`, `CREATE (:X {v: ${String(version)}})`),
  )
  const versions = (migrations: readonly Migration[]) => migrations.map(({ version }) => version)

  it('takes what the ledger lacks, in order', () => {
    expect(versions(planMigrations(known, []))).toEqual([1, 2, 3])
    expect(versions(planMigrations(known, known.slice(0, 2)))).toEqual([3])
    expect(planMigrations(known, known)).toEqual([])
  })

  it.each([
    ['newer', known.slice(0, 2), known, 'SCHEMA_NEWER', undefined],
    [
      'changed',
      known,
      [{ version: 1, name: 'step', checksum: 'other' }],
      'MIGRATION_FAILED',
      'changed',
    ],
    [
      'renamed',
      known,
      [{ ...known[0], name: 'other' } as Migration],
      'MIGRATION_FAILED',
      'changed',
    ],
    ['left out', known, known.slice(1), 'MIGRATION_FAILED', 'left_out'],
  ] as const)('refuses a ledger that is %s', (_what, mine, ledger, code, reason) => {
    expect(() => planMigrations(mine, ledger)).toThrow(
      expect.objectContaining({
        code,
        details: expect.objectContaining(
          reason === undefined ? { found: 3, supported: 2 } : { reason },
        ) as object,
      }) as Error,
    )
  })
})

describe('parseMigrations', () => {
  const files = (...versions: string[]) =>
    versions.map((version) => ({ name: `${version}-x.cypher`, text: INDEX }))

  it('orders by number', () => {
    const migrations = parseMigrations(files('000002', '000001', '000003'))
    expect(migrations.map(({ version }) => version)).toEqual([1, 2, 3])
  })

  it.each([
    ['a gap', files('000001', '000003'), 3],
    ['a late start', files('000002'), 2],
    ['a double', files('000001', '000001'), 1],
  ])('refuses %s', (_what, wrong, version) => {
    expect(() => parseMigrations(wrong)).toThrow(
      expect.objectContaining({
        code: 'MIGRATION_FAILED',
        details: { engine: 'neo4j', version, migration: 'x', reason: 'numbering' },
      }) as Error,
    )
  })
})
