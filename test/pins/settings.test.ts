import { expect, it } from 'vitest'

import { SETTINGS } from '../../src/config/settings.ts'
import { GRANTS } from '../../src/identity/grants.ts'
import { ROLES } from '../../src/identity/identity.ts'
import { SCOPE_KINDS } from '../../src/identity/scope.ts'

it('keeps the names of the settings that operators rely on', () => {
  expect(Object.keys(SETTINGS).sort()).toEqual([
    'DATABASE_OWNER_URL',
    'DATABASE_URL',
    'HEDDLE_AGENT',
    'HEDDLE_ALLOWED_ORIGINS',
    'HEDDLE_API_KEY',
    'HEDDLE_BODY_LIMIT_BYTES',
    'HEDDLE_CONNECT_TIMEOUT_MS',
    'HEDDLE_DATA_DIR',
    'HEDDLE_DOCUMENT_BYTES',
    'HEDDLE_GRANTS',
    'HEDDLE_HOST',
    'HEDDLE_ISOLATED',
    'HEDDLE_KV_SCOPE_BYTES',
    'HEDDLE_LOG_LEVEL',
    'HEDDLE_MCP_TOOLS',
    'HEDDLE_MODEL',
    'HEDDLE_POOL_SIZE',
    'HEDDLE_PORT',
    'HEDDLE_SESSION',
    'HEDDLE_SHUTDOWN_TIMEOUT_MS',
    'HEDDLE_STATEMENT_TIMEOUT_MS',
    'HEDDLE_TENANT',
    'HEDDLE_USER',
    'NEO4J_CA_FILE',
    'NEO4J_DATABASE',
    'NEO4J_PASSWORD',
    'NEO4J_URI',
    'NEO4J_USER',
  ])
})

it('keeps the words of identity', () => {
  expect(SCOPE_KINDS).toEqual(['run', 'user', 'agent', 'tenant', 'global'])
  expect(ROLES).toEqual(['agent', 'service', 'admin'])
  expect(GRANTS).toEqual([
    'agent:write',
    'tenant:read',
    'tenant:write',
    'global:read',
    'global:write',
    'backdate',
  ])
})
