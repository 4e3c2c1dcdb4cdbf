/**
 * Prints the schema that the migrations make, as test/pins/schema.sql.txt keeps it:
 * `node --import tsx scripts/dump-schema.ts > test/pins/schema.sql.txt`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SILENT_LOGGER } from '../src/core/logger.ts'
import { DEFAULT_EMBEDDED_SETTINGS } from '../src/engines/postgres/config.ts'
import { openEmbeddedEngine } from '../src/engines/postgres/embedded/embedded-engine.ts'
import { dumpSchema } from '../src/engines/postgres/schema-dump.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'heddle-schema-'))
try {
  await using engine = await openEmbeddedEngine({
    ...DEFAULT_EMBEDDED_SETTINGS,
    kind: 'embedded',
    dataDir,
    logger: SILENT_LOGGER,
  })
  process.stdout.write(await dumpSchema(engine))
} finally {
  await rm(dataDir, { recursive: true, force: true })
}
