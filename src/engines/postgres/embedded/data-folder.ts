import { mkdir, open, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { HeddleError } from '../../../core/errors.ts'

/** The file whose lock makes a process the host of a folder. */
export const LOCK_FILE = 'host.lock'

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: 'it, or something above it, is a file',
  EEXIST: 'it is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'it cannot be made there',
  ENAMETOOLONG: 'its path is too long',
  ELOOP: 'its path has a circle of links',
}

/**
 * Makes the data folder where it is missing and proves that it can be written to; gives its real path.
 *
 * @throws HeddleError `DATA_FOLDER_UNUSABLE` with the path and the system's reason.
 */
export async function prepareDataFolder(dataDir: string): Promise<string> {
  try {
    await makeFolder(dataDir)
    const realDataDir = await realpath(dataDir)
    // The lock file is needed anyway, and shows more than asking for rights would.
    const file = await open(join(realDataDir, LOCK_FILE), 'a+', 0o600)
    await file.close()
    return realDataDir
  } catch (error) {
    throw toFolderError(dataDir, error)
  }
}

/** Step by step: Node's recursive way never returns where folders cannot be made, as below `/proc`. */
async function makeFolder(path: string): Promise<void> {
  const missing: string[] = []
  let at = path
  while (!(await isFolder(at))) {
    missing.unshift(at)
    if (dirname(at) === at) break
    at = dirname(at)
  }
  for (const folder of missing) {
    try {
      await mkdir(folder, { mode: 0o700 })
    } catch (error) {
      // Another process may have been first.
      if (codeOf(error) !== 'EEXIST' || !(await isFolder(folder))) throw error
    }
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

function toFolderError(dataDir: string, cause: unknown): HeddleError {
  const reason = codeOf(cause)
  if (reason === undefined) throw cause
  return new HeddleError('DATA_FOLDER_UNUSABLE', {
    message: `The data folder ${dataDir} cannot be used: ${REASONS[reason] ?? reason}. Choose another with --data-dir or HEDDLE_DATA_DIR.`,
    details: { data_dir: dataDir, reason },
    cause,
  })
}
