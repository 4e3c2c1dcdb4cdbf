/** Run by the build: packs an initialised cluster, so that a new data folder need not initialise its own. */
import { makeSeed } from './create-database.ts'
import { writeSeed } from './seed.ts'

writeSeed(await makeSeed())
