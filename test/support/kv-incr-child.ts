/**
 * One of several programs on one embedded folder: counts up a key many times at once.
 * Arguments: the folder, the identity as JSON, the key, how many times.
 */
import { SILENT_LOGGER } from '../../src/core/logger.ts'
import { DEFAULT_EMBEDDED_SETTINGS } from '../../src/engines/postgres/config.ts'
import { openEmbeddedEngine } from '../../src/engines/postgres/embedded/embedded-engine.ts'
import type { Identity } from '../../src/identity/identity.ts'
import { makeTestHeddle } from './heddle.ts'

const [dataDir = '', identity = '', key = '', times = '0'] = process.argv.slice(2)

await using engine = await openEmbeddedEngine({
  kind: 'embedded',
  ...DEFAULT_EMBEDDED_SETTINGS,
  logger: SILENT_LOGGER,
  dataDir,
})
const heddle = makeTestHeddle(engine)
const who = JSON.parse(identity) as Identity
const answers = await Promise.all(
  Array.from({ length: Number(times) }, () => heddle.call(who, 'kv.incr', { key })),
)
process.stdout.write(JSON.stringify(answers.map(({ value }) => value)))
