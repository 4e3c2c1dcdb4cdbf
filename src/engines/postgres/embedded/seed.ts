import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import { gunzipSync, gzipSync } from 'node:zlib'

/**
 * A database cluster as it is right after its initialisation, path by path; folders have no content.
 * The same for everybody: it holds nothing but what PostgreSQL itself puts there.
 */
export type Seed = readonly { readonly path: string; readonly content?: Uint8Array }[]

/** Made by the build, beside this file; from sources there is none. */
const SEED_FILE = fileURLToPath(new URL('./seed.bin', import.meta.url))

/** The seed of the build, or undefined when there is none. */
export function readSeed(): Seed | undefined {
  if (!existsSync(SEED_FILE)) return undefined
  return deserialize(gunzipSync(readFileSync(SEED_FILE))) as Seed
}

/** Writes the file that {@link readSeed} reads. */
export function writeSeed(seed: Seed): void {
  mkdirSync(dirname(SEED_FILE), { recursive: true })
  writeFileSync(SEED_FILE, gzipSync(serialize(seed)))
}
