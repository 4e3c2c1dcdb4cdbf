import { describe, expect, it } from 'vitest'

import {
  MAX_SOCKET_PATH_BYTES,
  socketFolderOf,
  socketPathOf,
} from '../../../../../src/engines/postgres/embedded/socket-folder.ts'

describe('the folder of the socket', () => {
  it('is short however long the path of the data is, and another for other data', () => {
    const long = `/home/${'directory/'.repeat(400)}`
    const path = socketPathOf(socketFolderOf(long))
    expect(Buffer.byteLength(path)).toBeLessThan(MAX_SOCKET_PATH_BYTES)
    expect(socketFolderOf(long)).toBe(socketFolderOf(long))
    expect(socketFolderOf(long)).not.toBe(socketFolderOf(`${long}x`))
  })
})
