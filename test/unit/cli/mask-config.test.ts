import { describe, expect, it } from 'vitest'

import { maskConfig } from '../../../src/cli/mask-config.ts'
import { loadConfig } from '../../../src/config/load-config.ts'

describe('the configuration as doctor shows it', () => {
  it('masks every secret and keeps the rest', () => {
    const config = loadConfig({
      DATABASE_URL: 'postgres://app:s3cret-a@db.example:5432/heddle?sslpassword=s3cret-b',
      DATABASE_OWNER_URL: 'postgres://owner:s3cret-c@db.example:5432/heddle',
      NEO4J_URI: 'bolt://graph.example:7687',
      NEO4J_PASSWORD: 's3cret-d',
      HEDDLE_API_KEY: 's3cret-e',
      HEDDLE_AGENT: 'a1',
    })
    const shown = maskConfig(config)
    expect(JSON.stringify(shown)).not.toContain('s3cret')
    expect(shown).toMatchObject({
      'database.kind': 'server',
      'database.url': 'postgres://app:***@db.example:5432/heddle?sslpassword=***',
      'local.apiKey': '***',
      'local.agent': 'a1',
      'local.grants': 'tenant:read, tenant:write',
      'http.port': 7077,
    })
  })

  it('masks a URL that cannot be read as one', () => {
    const config = loadConfig({ DATABASE_URL: 'host=db password=s3cret' })
    expect(maskConfig(config)['database.url']).toBe('***')
  })
})
