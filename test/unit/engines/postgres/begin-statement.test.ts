import { describe, expect, it } from 'vitest'

import type { ScopeId, TenantId } from '../../../../src/core/ids.ts'
import { beginText } from '../../../../src/engines/postgres/begin-statement.ts'
import { makeScopeSet, NO_SCOPES } from '../../../../src/identity/scope.ts'

const TENANT = '11111111-1111-4111-8111-111111111111' as TenantId
const SCOPE = '22222222-2222-4222-8222-222222222222' as ScopeId
const LIMITS = { readOnly: false, statementTimeoutMs: 30_000, idleInTransactionMs: 0 }

/** Every setting of the text with its value. */
function settingsOf(text: string): Map<string, string> {
  const calls = text.matchAll(/set_config\('([^']+)', ( E)?'((?:[^']|'')*)', true\)/g)
  return new Map([...calls].map((call) => [call[1] ?? '', call[3] ?? '']))
}

describe('the text of BEGIN', () => {
  it('names every setting, empty where there is nothing to say', () => {
    const settings = settingsOf(beginText({ role: 'heddle_app', ...LIMITS }))
    expect([...settings.keys()]).toEqual([
      'statement_timeout',
      'idle_in_transaction_session_timeout',
      'timezone',
      'datestyle',
      'heddle.read_tenants',
      'heddle.read_scopes',
      'heddle.write_tenants',
      'heddle.write_scopes',
      'heddle.agent',
      'heddle.user',
      'heddle.session',
      'heddle.run_id',
      'heddle.model',
      'heddle.compaction_generation',
      'heddle.origin',
    ])
    const own = [...settings].filter(([name]) => name.startsWith('heddle.'))
    expect(new Set(own.map(([, value]) => value))).toEqual(new Set(['']))
  })

  it('carries scopes as arrays, the two lists apart', () => {
    const read = makeScopeSet([{ kind: 'user', tenantId: TENANT, scopeId: SCOPE }])
    const text = beginText({ role: 'heddle_app', access: { read, write: NO_SCOPES }, ...LIMITS })
    const settings = settingsOf(text)
    expect(settings.get('heddle.read_tenants')).toBe(`{${TENANT}}`)
    expect(settings.get('heddle.read_scopes')).toBe(`{${SCOPE}}`)
    expect(settings.get('heddle.write_scopes')).toBe('')
  })

  it('opens with the mode and the role', () => {
    expect(beginText({ role: 'heddle_app', ...LIMITS })).toMatch(
      /^begin; set local role heddle_app; select set_config\('statement_timeout', '30000', true\)/,
    )
    expect(beginText({ role: 'heddle_dispatch', ...LIMITS, readOnly: true })).toMatch(
      /^begin read only; set local role heddle_dispatch; /,
    )
    expect(beginText({ role: 'none', ...LIMITS })).toMatch(/^begin; select /)
  })

  it('quotes what agents are called and refuses what cannot be text', () => {
    const withAgent = (agent: string): string =>
      beginText({
        role: 'heddle_app',
        access: { read: NO_SCOPES, write: NO_SCOPES, provenance: { agent, origin: 'agent' } },
        ...LIMITS,
      })
    expect(withAgent(`o'x', true); drop table t; --`)).toContain(
      `set_config('heddle.agent', 'o''x'', true); drop table t; --', true)`,
    )
    expect(withAgent('back\\slash')).toContain(
      `set_config('heddle.agent',  E'back\\\\slash', true)`,
    )
    expect(() => withAgent('nul\0')).toThrow('NUL')
  })

  it('takes nothing for an id that is none', () => {
    const scope = { kind: 'user', tenantId: TENANT, scopeId: `x'; --` as ScopeId } as const
    const read = makeScopeSet([scope])
    const open = (): string =>
      beginText({ role: 'heddle_app', access: { read, write: NO_SCOPES }, ...LIMITS })
    expect(open).toThrow('UUID')
  })
})
