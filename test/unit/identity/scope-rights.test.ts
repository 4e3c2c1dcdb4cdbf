import { describe, expect, it } from 'vitest'

import type { RunId, TenantId } from '../../../src/core/ids.ts'
import { type Grant, GRANTS } from '../../../src/identity/grants.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { SCOPE_KINDS, type ScopeKind } from '../../../src/identity/scope.ts'
import { readRefusal, writeRefusal } from '../../../src/identity/scope-rights.ts'
import { SYSTEM_TENANT_ID } from '../../../src/identity/system-tenant.ts'

const BASE: Identity = {
  tenantId: 'a3bb189e-8bf9-4c27-9a8e-2f5c1d3e4b5a' as TenantId,
  tenant: 'north',
  agent: 'a1',
  role: 'agent',
  grants: [],
  isolated: false,
}
const RUN = { runId: 'b3bb189e-8bf9-4c27-9a8e-2f5c1d3e4b5a' as RunId }

function allowed(identity: Identity, of: typeof readRefusal): ScopeKind[] {
  return SCOPE_KINDS.filter((kind) => of(identity, kind) === undefined)
}

describe('the scopes of an identity', () => {
  it.each<[string, Partial<Identity>, ScopeKind[], ScopeKind[]]>([
    ['an agent', {}, ['agent'], ['agent']],
    ['an agent in a run', RUN, ['run', 'agent'], ['run', 'agent']],
    ['an agent with a user', { user: 'u1' }, ['user', 'agent'], ['user']],
    [
      'one granted to write its agent',
      { user: 'u1', grants: ['agent:write'] },
      ['user', 'agent'],
      ['user', 'agent'],
    ],
    ['a reader of the tenant', { grants: ['tenant:read'] }, ['agent', 'tenant'], ['agent']],
    [
      'a writer of the tenant',
      { grants: ['tenant:write'] },
      ['agent', 'tenant'],
      ['agent', 'tenant'],
    ],
    ['a reader of global', { grants: ['global:read'] }, ['agent', 'global'], ['agent']],
    [
      'a global grant outside the system tenant',
      { role: 'admin', grants: ['global:write'] },
      ['agent', 'global'],
      ['agent'],
    ],
    [
      'an agent of the system tenant',
      { tenantId: SYSTEM_TENANT_ID, grants: ['global:write'] },
      ['agent', 'global'],
      ['agent'],
    ],
    [
      'the admin of the system tenant',
      { tenantId: SYSTEM_TENANT_ID, role: 'admin', grants: ['global:write'] },
      ['agent', 'global'],
      ['agent', 'global'],
    ],
    [
      'an isolated agent, whatever its grants',
      { ...RUN, isolated: true, grants: [...GRANTS] },
      ['run', 'agent'],
      ['run', 'agent'],
    ],
    [
      'an isolated agent with a user',
      { user: 'u1', isolated: true, grants: [...GRANTS] },
      ['user'],
      ['user'],
    ],
  ])('%s', (_, parts, read, write) => {
    const identity = { ...BASE, ...parts }
    expect(allowed(identity, readRefusal)).toEqual(read)
    expect(allowed(identity, writeRefusal)).toEqual(write)
  })

  it('never lets an identity write what it cannot read, and never widens when a grant is removed', () => {
    for (const grants of subsets(GRANTS)) {
      for (const parts of [
        {},
        { user: 'u1' },
        RUN,
        { isolated: true },
      ] satisfies Partial<Identity>[]) {
        const identity = { ...BASE, ...parts, grants }
        expect(allowed(identity, readRefusal)).toEqual(
          expect.arrayContaining(allowed(identity, writeRefusal)),
        )
        const fewer = { ...identity, grants: grants.slice(1) }
        expect(allowed(identity, readRefusal)).toEqual(
          expect.arrayContaining(allowed(fewer, readRefusal)),
        )
      }
    }
  })

  it.each<[Partial<Identity>, ScopeKind, string]>([
    [{}, 'user', 'SCOPE_NO_USER'],
    [{}, 'run', 'SCOPE_NO_RUN'],
    [{}, 'tenant', 'SCOPE_NOT_GRANTED'],
    [{ isolated: true, grants: ['tenant:read'] }, 'tenant', 'SCOPE_ISOLATED'],
  ])('says why: %j asking for %s', (parts, kind, code) => {
    expect(readRefusal({ ...BASE, ...parts }, kind)?.code).toBe(code)
  })
})

function subsets(grants: readonly Grant[]): Grant[][] {
  return grants.reduce<Grant[][]>(
    (all, grant) => [...all, ...all.map((some) => [...some, grant])],
    [[]],
  )
}
