import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'

import { usageError } from './usage-error.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a file, or standard input for `-`, as UTF-8 exactly as it is.
 *
 * @throws HeddleError `INPUT_INVALID` when it cannot be read or is not UTF-8.
 */
export async function readText(path: string, stdin: Readable): Promise<string> {
  return decodeText(path === '-' ? await readAll(stdin) : await readBytes(path), path)
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw usageError(`${path} cannot be read (${code})`)
  }
}

function decodeText(bytes: Buffer, path: string): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw usageError(`${path === '-' ? 'Standard input' : path} is not UTF-8 text`)
  }
}

/** @throws HeddleError `INPUT_INVALID` when the text is not JSON. */
export function parseJsonText(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usageError(`${what} is not JSON`)
  }
}

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream)
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer))
  return Buffer.concat(chunks)
}
