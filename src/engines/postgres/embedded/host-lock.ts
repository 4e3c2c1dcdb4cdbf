import { type FileHandle, open } from 'node:fs/promises'

import { tryLock } from 'fs-native-extensions'

/**
 * The right to host a folder: a lock of the kernel on one file. It belongs to the open file, so it
 * ends with the process however that ends, and a process that is only stopped keeps it. The file
 * itself stays and says nothing.
 */
export class HostLock {
  /** Held on to: a handle that is collected would be closed, and the lock gone. */
  readonly #file: FileHandle

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** Takes the lock if it is free, also against another engine of this process. */
  static async tryAcquire(path: string): Promise<HostLock | undefined> {
    const file = await open(path, 'a+', 0o600)
    let isOurs = false
    try {
      isOurs = tryLock(file.fd)
    } finally {
      if (!isOurs) await file.close()
    }
    return isOurs ? new HostLock(file) : undefined
  }

  async release(): Promise<void> {
    await this.#file.close()
  }
}
