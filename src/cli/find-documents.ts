import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'

import { globToRegExp } from './glob.ts'
import { usageError } from './usage-error.ts'

const MARKDOWN = /\.(md|markdown)$/i

export interface FindOptions {
  /** Only files that match one of them; default: Markdown by the ending of the name. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** Put before every path; `guides` or `guides/`. */
  readonly prefix?: string
}

export interface FoundDocument {
  readonly file: string
  /** Under which the document is stored: relative to the folder that was named. */
  readonly path: string
}

/**
 * The files that the named files and folders stand for, in order of path. Hidden entries and
 * `node_modules` are left out, symbolic links are not followed.
 *
 * @throws HeddleError `INPUT_INVALID` when one does not exist, or two files would get the same path.
 */
export async function findDocuments(
  names: readonly string[],
  options: FindOptions,
): Promise<readonly FoundDocument[]> {
  const found: FoundDocument[] = []
  for (const name of names) {
    const info = await stat(name).catch(() => undefined)
    if (info === undefined) throw usageError(`${name} does not exist or cannot be read`)
    // A file that is named itself is meant, whatever it is called.
    if (!info.isDirectory())
      found.push({ file: name, path: withPrefix(basename(name), options.prefix) })
    else found.push(...(await findInFolder(name, options)))
  }
  found.sort((a, b) => (a.path < b.path ? -1 : 1))
  const twice = found.find(({ path }, index) => found[index + 1]?.path === path)
  if (twice !== undefined) {
    throw usageError(`Two files would be stored as ${twice.path}; import them apart, with --prefix`)
  }
  return found
}

async function findInFolder(root: string, options: FindOptions): Promise<readonly FoundDocument[]> {
  const include = options.include.map(globToRegExp)
  const exclude = options.exclude.map(globToRegExp)
  const found: FoundDocument[] = []
  for (const file of await listFiles(root)) {
    const path = relative(root, file).split(sep).join('/')
    const isIncluded =
      include.length === 0 ? MARKDOWN.test(path) : include.some((rule) => rule.test(path))
    if (isIncluded && !exclude.some((rule) => rule.test(path))) {
      found.push({ file, path: withPrefix(path, options.prefix) })
    }
  }
  return found
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const files: string[] = []
  for (const entry of entries.filter(isVisible)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) files.push(...(await listFiles(path)))
    else if (entry.isFile()) files.push(path)
  }
  return files
}

function isVisible({ name }: Dirent): boolean {
  return !name.startsWith('.') && name !== 'node_modules'
}

function withPrefix(path: string, prefix: string | undefined): string {
  return prefix === undefined || prefix === '' ? path : `${prefix.replace(/\/+$/, '')}/${path}`
}
