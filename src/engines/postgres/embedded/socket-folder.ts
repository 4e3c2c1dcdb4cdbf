import { createHash } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { HeddleError } from '../../../core/errors.ts'

/** Some systems cut the path of a socket at 103 bytes, so it cannot lie in the data folder. */
export const MAX_SOCKET_PATH_BYTES = 103

/** The port in the name that the driver expects; nothing listens on it. */
export const SOCKET_PORT = 5432

/** Not the temporary folder of the environment: two processes of one folder may have different ones. */
const BASE = '/tmp'

/** Where the host of a data folder listens: the same for every process of this user. */
export function socketFolderOf(realDataDir: string, base: string = BASE): string {
  const hash = createHash('sha256').update(realDataDir).digest('hex').slice(0, 24)
  return join(base, `heddle-${String(process.getuid?.() ?? 0)}-${hash}`)
}

export function socketPathOf(folder: string): string {
  return join(folder, `.s.PGSQL.${String(SOCKET_PORT)}`)
}

/**
 * Makes the folder, or accepts the one that is there when it is this user's alone: who reaches the
 * socket is the database's superuser.
 *
 * @throws HeddleError `ENGINE_UNAVAILABLE` when somebody else owns it or can enter it.
 */
export async function ensureSocketFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const stats = await lstat(folder)
  const isOurs =
    stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0
  if (isOurs) return
  throw new HeddleError('ENGINE_UNAVAILABLE', {
    message: `The folder of the socket, ${folder}, is not private to this user. Remove it.`,
    details: { folder },
  })
}
