import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Builders that name no scope in their text, each with the reason why that is right. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  authenticateStatement:
    'looks a token up before any tenant is known; one security definer function',
  resolveScopesStatement: 'is where scopes come from',
  startRunStatement: 'a function of the identity room that names its tenant',
  endRunStatement: 'a function of the identity room that names its tenant',
  markRunPurgedStatement: 'a function of the identity room that names its tenant',
  insertTenantStatement: 'administration under the owner role',
  listTenantsStatement: 'administration under the owner role',
  deleteTenantStatement: 'administration under the owner role',
  findTenantStatement: 'a name to an id, before any scope is known',
  insertKeyStatement: 'administration under the owner role, by tenant',
  listKeysStatement: 'administration under the owner role, by tenant',
  revokeKeyStatement: 'administration under the owner role, by tenant',
}

interface Builder {
  readonly name: string
  readonly file: string
  readonly source: string
}

/** Every exported function of a `sql/` folder, with its source up to the next export. */
function builders(): Builder[] {
  const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)sql\/[^/]+\.ts$/.test(file))
    .map((file) => `src/${file}`)
  return files.flatMap((file) => {
    const text = readFileSync(root + file, 'utf8')
    const starts = [...text.matchAll(/^export function (\w+)/gm)]
    return starts.map((start, index) => ({
      name: start[1] ?? '',
      file,
      source: text.slice(start.index, starts[index + 1]?.index),
    }))
  })
}

describe('statement builders', () => {
  const all = builders().filter(({ source }) => source.includes('Statement'))

  it('are found', () => {
    expect(all.length).toBeGreaterThan(20)
  })

  it.each(all.map(({ name, file, source }) => [name, file, source] as const))(
    '%s names its tenant and its scopes',
    (name, _, source) => {
      if (Object.hasOwn(EXCEPTIONS, name)) return
      // In its own text, or as parameters of a function that names them.
      expect(source).toMatch(/tenant_id|\.tenantIds\b/)
      expect(source).toMatch(/scope_id|\.scopeIds\b/)
    },
  )

  it('pins only exceptions that exist', () => {
    const names = new Set(all.map(({ name }) => name))
    expect(Object.keys(EXCEPTIONS).filter((name) => !names.has(name))).toEqual([])
  })

  it.each(all.map(({ name, source }) => [name, source] as const))(
    '%s puts no value into its text',
    (_, source) => {
      const interpolated = [...source.matchAll(/\$\{([^}]*)\}/g)].map((match) => match[1] ?? '')
      // Only constants and parts chosen by code: upper-snake names, calls of builders, one of two literals.
      expect(
        interpolated.filter(
          (part) => !/^[A-Z][A-Z0-9_]*$|^[a-z]\w*\([^)]*\)$|^.* \? '\w+' : '\w+'$/.test(part),
        ),
      ).toEqual([])
    },
  )
})
