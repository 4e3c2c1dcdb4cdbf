import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

const PARSER = /node_modules\/(?:unified|remark-|mdast-util-|micromark)/

/** Urls of all that a process loads which imports one file of the sources; coverage lists them. */
function loadedBy(file: string): readonly string[] {
  const directory = mkdtempSync(path.join(tmpdir(), 'heddle-loaded-'))
  try {
    const entry = fileURLToPath(new URL(`../../../../src/${file}`, import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', entry], {
      env: { ...process.env, NODE_V8_COVERAGE: directory },
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return readdirSync(directory).flatMap((name) => {
      const text = readFileSync(path.join(directory, name), 'utf8')
      const { result } = JSON.parse(text) as { result: readonly { readonly url: string }[] }
      return result.map(({ url }) => url)
    })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

describe('the Markdown parser', () => {
  it('is not loaded by what knows all operations', () => {
    const urls = loadedBy('memory/registry.ts')
    expect(urls.some((url) => url.endsWith('planes/documents/parse-pool.ts'))).toBe(true)
    expect(urls.filter((url) => PARSER.test(url))).toEqual([])
  })

  it('is what parsing loads', () => {
    const urls = loadedBy('planes/documents/parse-markdown-document.ts')
    expect(urls.filter((url) => PARSER.test(url)).length).toBeGreaterThan(20)
  })
})
