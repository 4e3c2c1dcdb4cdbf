import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { expect, it } from 'vitest'

import { dumpSchema } from '../../src/engines/postgres/schema-dump.ts'
import { describeEngines } from '../support/engines.ts'

const PINNED = fileURLToPath(new URL('./schema.sql.txt', import.meta.url))

describeEngines('the schema', (engine) => {
  it('is the pinned one: after a migration, `node --import tsx scripts/dump-schema.ts` prints it', async () => {
    expect(await dumpSchema(engine())).toBe(readFileSync(PINNED, 'utf8'))
  })
})
