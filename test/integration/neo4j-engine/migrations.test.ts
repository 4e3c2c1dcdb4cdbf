import { randomBytes } from 'node:crypto'

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'

import type { Neo4jOptions } from '../../../src/engines/neo4j/config.ts'
import type { Neo4jEngine } from '../../../src/engines/neo4j/engine.ts'
import { loadMigrations } from '../../../src/engines/neo4j/load-migrations.ts'
import { type Migration, parseMigration } from '../../../src/engines/neo4j/migration.ts'
import { describeWith } from '../../support/services.ts'
import { openTestEngine, proxyUri, read, startServerProxy, write } from './open-test-engine.ts'

/** Names of its own for each test: the server has one database, shared with every other test. */
interface World {
  readonly series: string
  readonly label: string
  readonly migrations: readonly Migration[]
}

function makeWorld(): World {
  const id = randomBytes(6).toString('hex')
  const label = `Migrated${id}`
  return {
    series: `test-${id}`,
    label,
    migrations: [
      parseMigration(
        '000001-create.cypher',
        `CREATE CONSTRAINT heddle_test_${id}_key IF NOT EXISTS FOR (n:${label}) REQUIRE (n.a, n.b) IS UNIQUE;
         CREATE RANGE INDEX heddle_test_${id}_c IF NOT EXISTS FOR (n:${label}) ON (n.c);`,
      ),
      parseMigration(
        '000002-fill.cypher',
        `CREATE (:${label} {a: 1, b: 1});
         CREATE (:${label} {a: 1, b: 2}); // not repeatable: counts how often it ran`,
      ),
      parseMigration(
        '000003-index.cypher',
        `CREATE RANGE INDEX heddle_test_${id}_d IF NOT EXISTS FOR (n:${label}) ON (n.d)`,
      ),
    ],
  }
}

function replaceAt(migrations: readonly Migration[], index: number, text: string): Migration[] {
  return migrations.map((migration, at) => {
    const number = String(migration.version).padStart(6, '0')
    return at === index ? parseMigration(`${number}-${migration.name}.cypher`, text) : migration
  })
}

describeWith('neo4j')('migrations of the Neo4j engine', () => {
  let direct: Neo4jEngine
  let world: World

  beforeAll(async () => {
    direct = await openTestEngine()
  })

  beforeEach(() => {
    world = makeWorld()
  })

  afterEach(async () => {
    for (const name of world.migrations.flatMap((migration) => migration.creates)) {
      const kind = name.endsWith('_key') ? 'CONSTRAINT' : 'INDEX'
      await write(direct, `DROP ${kind} ${name} IF EXISTS`)
    }
    await write(direct, `MATCH (n:${world.label}) DELETE n`)
    for (const label of ['HeddleMigration', 'HeddleMigrationLock']) {
      await write(direct, `MATCH (n:${label} {series: $series}) DELETE n`, { series: world.series })
    }
  })

  afterAll(async () => {
    await direct.close()
  })

  const openIn = (migrations: readonly Migration[], options: Partial<Neo4jOptions> = {}) =>
    openTestEngine(options, { migrations, series: world.series })

  const nodes = async () =>
    (await read(direct, `MATCH (n:${world.label}) RETURN count(n) AS n`))[0]?.['n']

  const ledger = () =>
    read(
      direct,
      `MATCH (m:HeddleMigration {series: $series})
       RETURN m.version AS version, m.name AS name, m.insertedAt > 1700000000000000 AS timed ORDER BY version`,
      { series: world.series },
    )

  const schema = async () => [
    ...(await read(
      direct,
      'SHOW CONSTRAINTS YIELD name, labelsOrTypes WHERE $label IN labelsOrTypes RETURN name ORDER BY name',
      { label: world.label },
    )),
    ...(await read(
      direct,
      `SHOW INDEXES YIELD name, labelsOrTypes, state, owningConstraint
       WHERE $label IN labelsOrTypes AND owningConstraint IS NULL RETURN name, state ORDER BY name`,
      { label: world.label },
    )),
  ]

  it('applies everything in order, and nothing the second time', async () => {
    await using engine = await openIn(world.migrations)
    expect(await engine.health({})).toMatchObject({ ok: true, schemaVersion: 0 })
    const first = await engine.migrate({})
    expect(first).toMatchObject({
      from: 0,
      to: 3,
      applied: [
        { version: 1, name: 'create' },
        { version: 2, name: 'fill' },
        { version: 3, name: 'index' },
      ],
    })
    const [entries, made] = [await ledger(), await schema()]
    expect(entries).toEqual([
      { version: 1n, name: 'create', timed: true },
      { version: 2n, name: 'fill', timed: true },
      { version: 3n, name: 'index', timed: true },
    ])
    expect(made).toEqual([
      { name: expect.stringMatching(/_key$/) as string },
      { name: expect.stringMatching(/_c$/) as string, state: 'ONLINE' },
      { name: expect.stringMatching(/_d$/) as string, state: 'ONLINE' },
    ])
    expect(await nodes()).toBe(2n)

    expect(await engine.migrate({})).toEqual({ from: 3, to: 3, applied: [] })
    expect(await ledger()).toEqual(entries)
    expect(await schema()).toEqual(made)
    expect(await nodes()).toBe(2n)
    expect(await engine.health({})).toMatchObject({ ok: true, schemaVersion: 3 })
  })

  it('is applied once when six clients do it at once', async () => {
    const engines = await Promise.all(Array.from({ length: 6 }, () => openIn(world.migrations)))
    try {
      const reports = await Promise.all(engines.map((engine) => engine.migrate({})))
      const applied = reports.flatMap((report) => report.applied.map(({ version }) => version))
      expect(applied.sort()).toEqual([1, 2, 3])
      expect(reports.map((report) => report.to)).toEqual([3, 3, 3, 3, 3, 3])
      expect(await nodes()).toBe(2n)
      expect(await ledger()).toHaveLength(3)
    } finally {
      await Promise.all(engines.map((engine) => engine.close()))
    }
  })

  it('goes on from where an older program stopped', async () => {
    await using older = await openIn(world.migrations.slice(0, 1), { schema: 'migrate' })
    expect(await older.health({})).toMatchObject({ ok: true, schemaVersion: 1 })
    await using newer = await openIn(world.migrations)
    expect(await newer.migrate({})).toMatchObject({ from: 1, to: 3 })
  })

  it('refuses a schema that is newer than the program', async () => {
    await using newer = await openIn(world.migrations, { schema: 'migrate' })
    const older = world.migrations.slice(0, 2)
    const refusal = { code: 'SCHEMA_NEWER', details: { found: 3, supported: 2 } }
    await expect(openIn(older, { schema: 'check' })).rejects.toMatchObject(refusal)
    await expect(openIn(older, { schema: 'migrate' })).rejects.toMatchObject(refusal)
    await using unchecked = await openIn(older)
    await expect(unchecked.migrate({})).rejects.toMatchObject(refusal)
    expect(await newer.health({})).toMatchObject({ ok: true, schemaVersion: 3 })
  })

  it('refuses a migration whose text or name was changed after it was applied', async () => {
    await using engine = await openIn(world.migrations, { schema: 'migrate' })
    const altered = replaceAt(world.migrations, 1, `CREATE (:${world.label} {a: 7, b: 7})`)
    const renamed = world.migrations.map((migration) => ({
      ...migration,
      name: `${migration.name}-again`,
    }))
    for (const [changed, version] of [[altered, 2] as const, [renamed, 1] as const]) {
      const refusal = { code: 'MIGRATION_FAILED', details: { version, reason: 'changed' } }
      await expect(openIn(changed, { schema: 'migrate' })).rejects.toMatchObject(refusal)
      await expect(openIn(changed, { schema: 'check' })).rejects.toMatchObject(refusal)
    }
    expect(await nodes()).toBe(2n)
    expect(await engine.health({})).toMatchObject({ ok: true })
  })

  it('keeps nothing of a migration that fails, and says which statement it was', async () => {
    const broken = replaceAt(
      world.migrations,
      1,
      `CREATE (:${world.label} {a: 1, b: 1}); CREATE (:${world.label} {a: 1, b: 1})`,
    )
    await using engine = await openIn(broken)
    await expect(engine.migrate({})).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      details: {
        version: 2,
        migration: 'fill',
        statement: 'migration.2_2',
        neo4jCode: 'Neo.ClientError.Schema.ConstraintValidationFailed',
      },
    })
    expect(await nodes()).toBe(0n)
    expect(await ledger()).toHaveLength(1)

    await using repaired = await openIn(world.migrations)
    expect(await repaired.migrate({})).toMatchObject({ from: 1, to: 3 })
    expect(await nodes()).toBe(2n)
  })

  it('keeps no constraint of a schema migration whose second statement fails', async () => {
    await write(direct, `CREATE (:${world.label} {c: 1}), (:${world.label} {c: 1})`)
    const [first] = world.migrations
    const broken = replaceAt(
      world.migrations,
      0,
      `CREATE RANGE INDEX ${first?.creates[1] ?? ''} IF NOT EXISTS FOR (n:${world.label}) ON (n.x);
       CREATE CONSTRAINT ${first?.creates[0] ?? ''} IF NOT EXISTS FOR (n:${world.label}) REQUIRE n.c IS UNIQUE`,
    )
    await using engine = await openIn(broken)
    await expect(engine.migrate({})).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      details: { statement: 'migration.1_2' },
    })
    expect(await schema()).toEqual([])
    expect(await ledger()).toEqual([])
  })

  it('keeps the gate shut while the schema is behind, and opens it when it is not any more', async () => {
    await expect(openIn(world.migrations, { schema: 'check' })).rejects.toMatchObject({
      code: 'SCHEMA_BEHIND',
      details: { found: 0, pending: 3 },
    })
    const proxy = await startServerProxy()
    try {
      await proxy.stop()
      const uri = proxyUri(proxy)
      await using waiting = await openIn(world.migrations, {
        uri,
        schema: 'check',
        startup: 'optional',
        recheckMs: 600_000,
      })
      await proxy.start()
      expect(await waiting.health({})).toMatchObject({
        ok: false,
        code: 'SCHEMA_BEHIND',
        schemaVersion: 0,
      })
      await expect(read(waiting, 'RETURN 1')).rejects.toMatchObject({ code: 'SCHEMA_BEHIND' })
      await waiting.migrate({})
      expect(waiting.status).toEqual({ state: 'up' })
      expect(await read(waiting, 'RETURN 1 AS one')).toEqual([{ one: 1n }])
    } finally {
      await proxy.close()
    }
  })

  it('migrates a server that comes late', async () => {
    const proxy = await startServerProxy()
    try {
      await proxy.stop()
      const uri = proxyUri(proxy)
      await using engine = await openIn(world.migrations, {
        uri,
        schema: 'migrate',
        startup: 'optional',
      })
      await proxy.start()
      expect(await engine.health({})).toMatchObject({ ok: true, schemaVersion: 3 })
      expect(await nodes()).toBe(2n)
    } finally {
      await proxy.close()
    }
  })

  it('waits for another migration and stops waiting when the caller gives up', async () => {
    await using engine = await openIn(world.migrations)
    await engine.migrate({})
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let locked: () => void = () => undefined
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve
    })
    const holder = direct.withWrite({}, async (tx) => {
      await tx.run({
        name: 'probe.lock',
        text: 'MATCH (lock:HeddleMigrationLock {series: $series}) SET lock.taken = 0',
        values: { series: world.series },
      })
      locked()
      await released
    })
    await isLocked
    const waiting = engine.migrate({ signal: AbortSignal.timeout(200) })
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
    release()
    await holder
    expect(await engine.migrate({})).toMatchObject({ applied: [] })
  })

  it('makes the constraints and indexes the graph stands on, and they are online', async () => {
    await using engine = await openTestEngine({ schema: 'migrate' })
    const migrations = await loadMigrations()
    // One database may hold other things too: everything of ours says so in its name.
    for (const name of migrations.flatMap(({ creates }) => creates))
      expect(name).toMatch(/^heddle_/)
    expect(await engine.health({})).toMatchObject({ ok: true, schemaVersion: migrations.length })
    const constraints = await read(
      engine,
      `SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties
       WHERE name IN $names RETURN labelsOrTypes[0] AS label, properties, type ORDER BY label`,
      { names: migrations.flatMap((migration) => migration.creates) },
    )
    const type = 'UNIQUENESS'
    expect(constraints).toEqual(
      expect.arrayContaining([
        { label: 'Chunk', properties: ['tenantId', 'chunkId'], type },
        { label: 'Entity', properties: ['tenantId', 'entityId'], type },
        { label: 'Fact', properties: ['tenantId', 'versionId'], type },
        { label: 'Name', properties: ['tenantId', 'nameId'], type },
      ]),
    )
    const indexes = await read(
      engine,
      `SHOW INDEXES YIELD name, state, labelsOrTypes, properties, owningConstraint
       WHERE name IN $names AND owningConstraint IS NULL
       RETURN labelsOrTypes[0] AS label, properties, state ORDER BY size(properties)`,
      { names: migrations.flatMap((migration) => migration.creates) },
    )
    const state = 'ONLINE'
    expect(indexes).toEqual(
      expect.arrayContaining([
        { label: 'Fact', properties: ['tenantId', 'scopeId', 'factId'], state },
        { label: 'Fact', properties: ['tenantId', 'scopeId', 'subjectId', 'predicate'], state },
      ]),
    )
  })
})
