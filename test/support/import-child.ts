/**
 * A program on an embedded folder that ends itself with SIGKILL ahead of one statement of a call.
 * Arguments: the folder, the identity, operation and arguments as JSON, the number of the statement.
 */
import { SILENT_LOGGER } from '../../src/core/logger.ts'
import { DEFAULT_EMBEDDED_SETTINGS } from '../../src/engines/postgres/config.ts'
import { openEmbeddedEngine } from '../../src/engines/postgres/embedded/embedded-engine.ts'
import type { Identity } from '../../src/identity/identity.ts'
import { makeTestHeddle } from './heddle.ts'
import { makeInterruptedEngine } from './interrupted-engine.ts'

const [dataDir = '', identity = '', op = '', args = '', killAt = '0'] = process.argv.slice(2)

await using engine = await openEmbeddedEngine({
  kind: 'embedded',
  ...DEFAULT_EMBEDDED_SETTINGS,
  logger: SILENT_LOGGER,
  dataDir,
})
const interrupted = makeInterruptedEngine(engine, (statement) => {
  if (statement === Number(killAt)) process.kill(process.pid, 'SIGKILL')
  return Promise.resolve()
})
const reply = await makeTestHeddle(interrupted).reply(
  JSON.parse(identity) as Identity,
  op,
  JSON.parse(args),
)
process.stdout.write(JSON.stringify(reply))
