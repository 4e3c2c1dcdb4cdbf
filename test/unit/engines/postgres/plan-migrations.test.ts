import { describe, expect, it } from 'vitest'

import { planMigrations } from '../../../../src/engines/postgres/migrate-schema.ts'
import {
  makeMigration,
  type Migration,
  readMigrations,
} from '../../../../src/engines/postgres/migration-files.ts'

const one = makeMigration('000001-one.sql', 'select 1')
const two = makeMigration('000002-two.sql', '-- breaking: drops a column\nselect 2')
const three = makeMigration('000003-three.sql', 'select 3')

function failureOf(known: readonly Migration[], applied: readonly Migration[]): unknown {
  try {
    return planMigrations(known, applied)
  } catch (error) {
    return error
  }
}

describe('the plan of migrations', () => {
  it('is what is missing, in order', () => {
    expect(planMigrations([one, two, three], [])).toEqual([one, two, three])
    expect(planMigrations([one, two, three], [one, two])).toEqual([three])
    expect(planMigrations([one], [one])).toEqual([])
  })

  it('refuses a database that is ahead', () => {
    expect(failureOf([one], [one, two])).toMatchObject({
      code: 'SCHEMA_NEWER',
      details: { versions: [2], known: 1 },
    })
  })

  it('refuses a text that changed and a number that comes late', () => {
    const changed = makeMigration('000001-one.sql', 'select 11')
    expect(failureOf([changed, two], [one])).toMatchObject({ code: 'MIGRATION_FAILED' })
    expect(failureOf([one, two, three], [one, three])).toMatchObject({
      code: 'MIGRATION_FAILED',
      details: { version: 2 },
    })
  })
})

describe('the files of migrations', () => {
  it('are named by number and purpose, and say when they break older programs', () => {
    expect(two).toMatchObject({ version: 2, name: 'two', isBreaking: true })
    expect(one.isBreaking).toBe(false)
    for (const name of ['1-one.sql', '000001.sql', '000001-One.sql', '000001-one.txt']) {
      expect(() => makeMigration(name, '')).toThrow(name)
    }
  })

  it('are numbered without gaps', async () => {
    const versions = (await readMigrations()).map(({ version }) => version)
    expect(versions).toEqual(versions.map((_, index) => index + 1))
  })
})
