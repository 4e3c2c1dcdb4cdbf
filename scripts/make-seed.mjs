// Packs an initialised database cluster beside the compiled engine, so that a new data folder need not
// initialise its own. Part of the build.
import { makeSeed } from '../dist/engines/postgres/embedded/create-database.js'
import { writeSeed } from '../dist/engines/postgres/embedded/seed.js'

writeSeed(await makeSeed())
