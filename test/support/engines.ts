/**
 * The Postgres engines that contract suites run on: embedded, and each server that is there.
 *
 * Opening one starts from a copy of a prepared schema: a cloned template database on a server, a
 * copied folder for the embedded engine (initialising one takes seconds and much memory).
 */
import { createHash, randomBytes } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'

import { type Logger, SILENT_LOGGER } from '../../src/core/logger.ts'
import {
  DEFAULT_EMBEDDED_SETTINGS,
  DEFAULT_SERVER_SETTINGS,
} from '../../src/engines/postgres/config.ts'
import { openEmbeddedEngine } from '../../src/engines/postgres/embedded/embedded-engine.ts'
import { HostLock } from '../../src/engines/postgres/embedded/host-lock.ts'
import type { PooledEngine } from '../../src/engines/postgres/pooled-engine.ts'
import { openServerEngine } from '../../src/engines/postgres/server-engine.ts'
import {
  createTemplate,
  createTestDatabase,
  type TestDatabase,
  testRolePassword,
} from './database.ts'
import { describeWith, requireService } from './services.ts'

export type TestEngineName = 'embedded' | 'postgres18' | 'postgres15'

export interface TestEngineOptions {
  readonly poolSize?: number
  readonly statementTimeoutMs?: number
  readonly connectTimeoutMs?: number
  readonly idleInTransactionMs?: number
  readonly logger?: Logger
}

/** An engine over a schema of its own; disposing of it removes the data. */
export interface TestEngine extends AsyncDisposable {
  readonly name: TestEngineName
  readonly engine: PooledEngine
  /** The folder of an embedded one. */
  readonly dataDir?: string
  /** The database of one on a server. */
  readonly database?: TestDatabase
}

export interface TestEngineOpener {
  readonly name: TestEngineName
  open(options?: TestEngineOptions): Promise<TestEngine>
}

export const TEST_ENGINES: readonly TestEngineOpener[] = [
  { name: 'embedded', open: openEmbedded },
  { name: 'postgres18', open: (options) => openServer('postgres18', options) },
  { name: 'postgres15', open: (options) => openServer('postgres15', options) },
]

/** One suite on every engine; `engine()` is open while its tests run. */
export function describeEngines(title: string, suite: (engine: () => PooledEngine) => void): void {
  describeEachEngine(title, (opener) => {
    let opened: TestEngine | undefined
    beforeAll(async () => {
      opened = await opener.open()
    })
    afterAll(async () => {
      await opened?.[Symbol.asyncDispose]()
    })
    suite(() => {
      if (opened === undefined) throw new Error('The engine is only open while tests run.')
      return opened.engine
    })
  })
}

/** The same for suites that open engines themselves. */
export function describeEachEngine(title: string, suite: (opener: TestEngineOpener) => void): void {
  for (const opener of TEST_ENGINES) {
    const describeIt = opener.name === 'embedded' ? describe : describeWith(opener.name)
    describeIt(`${title} (${opener.name})`, () => {
      suite(opener)
    })
  }
}

async function openServer(
  name: 'postgres18' | 'postgres15',
  options: TestEngineOptions = {},
): Promise<TestEngine> {
  const adminUrl = requireService(name)
  const template = await createTemplate(adminUrl, 'heddle', prepareTemplate)
  const database = await createTestDatabase(adminUrl, { template })
  const { appUrl, ownerUrl } = database
  const engine = openServerEngine({
    kind: 'server',
    ...DEFAULT_SERVER_SETTINGS,
    logger: SILENT_LOGGER,
    ...options,
    appUrl,
    ownerUrl,
  })
  const dispose = async (): Promise<void> => {
    await engine.close()
    await database.drop()
  }
  return { name, engine, database, [Symbol.asyncDispose]: dispose }
}

/** Runs under the cluster's lock: it also gives the roles the passwords that tests connect with. */
async function prepareTemplate(templateUrl: string): Promise<void> {
  await using engine = openServerEngine({
    kind: 'server',
    ...DEFAULT_SERVER_SETTINGS,
    logger: SILENT_LOGGER,
    appUrl: templateUrl,
    ownerUrl: templateUrl,
  })
  await engine.migrate({})
  const admin = new pg.Client({ connectionString: templateUrl })
  await admin.connect()
  try {
    for (const role of ['owner', 'app', 'dispatch'] as const) {
      const password = pg.escapeLiteral(testRolePassword(role))
      await admin.query(`alter role heddle_${role} login password ${password}`)
    }
  } finally {
    await admin.end()
  }
}

async function openEmbedded(options: TestEngineOptions = {}): Promise<TestEngine> {
  const dataDir = await makeDataFolder()
  const engine = await openEmbeddedFolder(dataDir, options)
  const dispose = async (): Promise<void> => {
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { name: 'embedded', engine, dataDir, [Symbol.asyncDispose]: dispose }
}

/** Opens a folder that a test has made, also beside other engines on the same one. */
export function openEmbeddedFolder(
  dataDir: string,
  options: TestEngineOptions = {},
): Promise<PooledEngine> {
  return openEmbeddedEngine({
    kind: 'embedded',
    ...DEFAULT_EMBEDDED_SETTINGS,
    logger: SILENT_LOGGER,
    ...options,
    dataDir,
  })
}

/** A new folder with an up-to-date schema; the caller removes it. */
export async function makeDataFolder(): Promise<string> {
  const template = await findOrMakeTemplate()
  const dataDir = makeEmptyPath()
  await cp(template, dataDir, { recursive: true })
  return dataDir
}

/** Where nothing is yet. */
export function makeEmptyPath(): string {
  return join(tmpdir(), `heddle-test-${randomBytes(8).toString('hex')}`)
}

const ENGINE_SOURCES = fileURLToPath(new URL('../../src/engines/postgres/', import.meta.url))
const TEMPLATES = join(tmpdir(), `heddle-test-templates-${String(process.getuid?.() ?? 0)}`)
const TEMPLATE_AGE_MS = 24 * 3_600_000
const POLL_MS = 100

/** Kept between runs under the hash of everything that it is made of. */
async function findOrMakeTemplate(): Promise<string> {
  const path = join(TEMPLATES, await hashSources())
  for (;;) {
    if (await exists(path)) return path
    await mkdir(TEMPLATES, { recursive: true, mode: 0o700 })
    const lock = await HostLock.tryAcquire(`${path}.lock`)
    if (lock === undefined) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      continue
    }
    try {
      if (!(await exists(path))) await makeTemplate(path)
    } finally {
      await lock.release()
    }
  }
}

async function makeTemplate(path: string): Promise<void> {
  await removeOldTemplates()
  const building = `${path}.building`
  await rm(building, { recursive: true, force: true })
  const engine = await openEmbeddedFolder(building)
  await engine.close()
  await rename(building, path)
}

async function removeOldTemplates(): Promise<void> {
  for (const name of await readdir(TEMPLATES)) {
    const path = join(TEMPLATES, name)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > TEMPLATE_AGE_MS) await rm(path, { recursive: true, force: true })
  }
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  const names = await readdir(ENGINE_SOURCES, { recursive: true })
  for (const name of names.filter((path) => /\.(?:ts|sql)$/.test(path)).sort()) {
    hash.update(name).update(await readFile(join(ENGINE_SOURCES, name)))
  }
  const manifest = new URL('../../package.json', import.meta.url)
  return hash
    .update(await readFile(manifest))
    .digest('hex')
    .slice(0, 16)
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch {
    return false
  }
}
