import neo4j from 'neo4j-driver'
import pg from 'pg'
import { expect, it } from 'vitest'

import { createTemplate, createTestDatabase } from '../support/database.ts'
import { describeWith, neo4jConnection, requireService } from '../support/services.ts'

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(text)
    return rows
  } finally {
    await client.end()
  }
}

const POSTGRES = [
  { name: 'postgres18', major: 18 },
  { name: 'postgres15', major: 15 },
] as const

for (const { name, major } of POSTGRES) {
  describeWith(name)(`the ${name} service`, () => {
    it('runs the expected major version', async () => {
      const [row] = await query(
        requireService(name),
        `select current_setting('server_version_num') as version`,
      )
      expect(Math.floor(Number(row?.['version']) / 10_000)).toBe(major)
    })

    it('gives a new database pgvector and the trusted extensions', async () => {
      await using database = await createTestDatabase(requireService(name))
      const [row] = await query(
        database.adminUrl,
        `create extension pg_trgm; create extension btree_gist; create extension unaccent;
         create temporary table probe (embedding halfvec(3))`,
      ).then(() =>
        query(database.adminUrl, `select '[1,2,3]'::vector <=> '[1,2,3]'::vector as distance`),
      )
      expect(row).toEqual({ distance: 0 })
    })

    it('prepares a template once and clones it for everyone who asks', async () => {
      const adminUrl = requireService(name)
      const preparations: string[] = []
      const ask = () =>
        createTemplate(adminUrl, `services_${String(major)}`, async (templateUrl) => {
          preparations.push(templateUrl)
          await query(templateUrl, 'create table prepared as select 42 as answer')
        })
      const templates = await Promise.all([ask(), ask(), ask()])
      expect(new Set(templates).size).toBe(1)
      expect(preparations).toHaveLength(1)

      const [template] = templates
      const clones = await Promise.all(
        [1, 2, 3].map(() => createTestDatabase(adminUrl, { template })),
      )
      for (const clone of clones) {
        expect(await query(clone.adminUrl, 'select answer from prepared')).toEqual([{ answer: 42 }])
      }
      await Promise.all(clones.map((clone) => clone.drop()))
      await clones[0]?.drop()
      const left = await query(
        adminUrl,
        `select datname from pg_database where datname like 'heddle_test_%'`,
      )
      const names = left.map((row) => row['datname'])
      for (const clone of clones) expect(names).not.toContain(clone.name)
    })
  })
}

describeWith('neo4j')('the neo4j service', () => {
  it('answers a statement and enforces a uniqueness constraint', async () => {
    const { uri, user, password } = neo4jConnection(requireService('neo4j'))
    const driver = neo4j.driver(uri, neo4j.auth.basic(user, password))
    try {
      const { records } = await driver.executeQuery('RETURN 1 AS one')
      expect(records[0]?.get('one')).toEqual(neo4j.int(1))
      await driver.executeQuery(
        'CREATE CONSTRAINT services_probe IF NOT EXISTS FOR (n:ServicesProbe) REQUIRE n.id IS UNIQUE',
      )
      const create = () => driver.executeQuery(`CREATE (:ServicesProbe {id: 'same'})`)
      await create()
      await expect(create()).rejects.toThrow(/already exists/)
    } finally {
      await driver.executeQuery('MATCH (n:ServicesProbe) DELETE n')
      await driver.executeQuery('DROP CONSTRAINT services_probe IF EXISTS')
      await driver.close()
    }
  })
})
