// Builds dist from src: compiles, copies the files that are read at run time, marks the command
// executable. Does nothing when neither sources nor settings changed since the last build.
//
//   node scripts/build.mjs [--force] [--quiet]
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const src = path.join(root, 'src')
const dist = path.join(root, 'dist')
// Beside dist, not in it: dist is published as it is.
const memory = path.join(root, 'node_modules', '.cache', 'heddle-build')
const stampFile = path.join(memory, 'stamp')
const compilerMemory = path.join(memory, 'tsbuildinfo')
const lock = path.join(memory, 'lock')
const command = path.join(dist, 'app', 'main.js')

/** What `embedded/make-seed.ts` makes, relative to dist. */
const SEED = path.join('engines', 'postgres', 'embedded', 'seed.bin')

const LOCK_WAIT_MS = 5 * 60_000
const SETTINGS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/build.mjs',
]

const isForced = process.argv.includes('--force')
const isQuiet = process.argv.includes('--quiet')

mkdirSync(memory, { recursive: true })
await takeLock()
try {
  process.exitCode = build()
} finally {
  rmSync(lock, { force: true })
}

function build() {
  const sources = listFiles(src)
  const stamp = makeStamp(sources)
  const outputs = new Set([...sources.flatMap(toOutputs), SEED])
  if (!isForced && readStamp() === stamp && isComplete(outputs)) {
    say('dist is up to date')
    return 0
  }
  const startedAt = Date.now()
  rmSync(stampFile, { force: true })
  removeStrangers(outputs)
  // The compiler writes only what it believes to have changed, so it must forget a lost output.
  if (isForced || !isComplete(outputs)) rmSync(compilerMemory, { force: true })

  const status = compile()
  if (status !== 0) return status
  for (const file of sources.filter(isAsset)) {
    const target = path.join(dist, file)
    mkdirSync(path.dirname(target), { recursive: true })
    copyFileSync(path.join(src, file), target)
  }
  if (makeSeed() !== 0) return 1
  if (existsSync(command)) chmodSync(command, 0o755)
  if (!isComplete(outputs)) {
    process.stderr.write('build: the compiler left out some of the sources\n')
    return 1
  }
  writeFileSync(stampFile, stamp)
  say(`built dist in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  return 0
}

function compile() {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const args = ['-p', 'tsconfig.build.json', '--incremental', '--tsBuildInfoFile', compilerMemory]
  const { status } = spawnSync(process.execPath, [compiler, ...args], {
    cwd: root,
    stdio: 'inherit',
  })
  return status ?? 1
}

/** Files below a folder, relative to it, in a fixed order. */
function listFiles(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true })
    .filter((file) => statSync(path.join(folder, file)).isFile())
    .toSorted()
}

function isAsset(file) {
  return !/\.[cm]?tsx?$/.test(file)
}

/** What a source becomes, relative to dist. */
function makeSeed() {
  const { status } = spawnSync(
    process.execPath,
    [path.join(dist, 'engines', 'postgres', 'embedded', 'make-seed.js')],
    {
      cwd: root,
      stdio: 'inherit',
    },
  )
  return status ?? 1
}

function toOutputs(file) {
  if (file.endsWith('.d.ts')) return []
  return [isAsset(file) ? file : file.replace(/\.ts$/, '.js')]
}

function makeStamp(sources) {
  const hash = createHash('sha256')
  const files = [...SETTINGS, ...sources.map((file) => path.join('src', file))]
  for (const file of files) {
    const absolute = path.join(root, file)
    if (!existsSync(absolute)) continue
    const content = readFileSync(absolute)
    hash.update(`${file}\0${String(content.length)}\0`).update(content)
  }
  return hash.digest('hex')
}

function readStamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : undefined
}

function isComplete(outputs) {
  return [...outputs].every((file) => existsSync(path.join(dist, file)))
}

/** Removes what earlier builds left of sources that are gone. */
function removeStrangers(outputs) {
  for (const file of listFiles(dist)) {
    const origin = file.replace(/\.(?:js\.map|d\.ts|d\.ts\.map)$/, '.js')
    if (!outputs.has(file) && !outputs.has(origin)) rmSync(path.join(dist, file))
  }
}

/** Two test runs in one checkout must not build at once. A lock whose process is gone is taken over. */
async function takeLock() {
  const deadline = Date.now() + LOCK_WAIT_MS
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0
    if (owner > 0 && !isAlive(owner)) rmSync(lock, { force: true })
    else if (Date.now() > deadline) throw new Error(`build: process ${String(owner)} holds ${lock}`)
    else await sleep(100)
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function say(line) {
  if (!isQuiet) process.stdout.write(`build: ${line}\n`)
}
