/**
 * Rights beyond an identity's own scopes.
 *
 * - `agent:write`: with a user present, write into the agent's own scope, which other users of the agent read
 * - `tenant:read`, `tenant:write`: the scope shared by the whole tenant
 * - `global:read`, `global:write`: the scope shared by all tenants; writing is only for admins of the system tenant
 * - `backdate`: state a recorded time of the past (imports, replays)
 */
export const GRANTS = [
  'agent:write',
  'tenant:read',
  'tenant:write',
  'global:read',
  'global:write',
  'backdate',
] as const

export type Grant = (typeof GRANTS)[number]

export function isGrant(text: string): text is Grant {
  return (GRANTS as readonly string[]).includes(text)
}
