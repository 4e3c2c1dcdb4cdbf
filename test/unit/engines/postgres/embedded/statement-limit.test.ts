import { describe, expect, it } from 'vitest'

import { beginText } from '../../../../../src/engines/postgres/begin-statement.ts'
import { makeQuery, SYNC } from '../../../../../src/engines/postgres/embedded/protocol.ts'
import { statementLimitOf } from '../../../../../src/engines/postgres/embedded/statement-limit.ts'

describe('the statement limit that the host reads', () => {
  it('is the one that BEGIN sets, for every role and mode', () => {
    for (const role of ['heddle_app', 'heddle_dispatch', 'heddle_owner', 'none'] as const) {
      for (const readOnly of [true, false]) {
        const options = { role, readOnly, statementTimeoutMs: 1234.5, idleInTransactionMs: 0 }
        expect(statementLimitOf(makeQuery(beginText(options)))).toBe(1235)
      }
    }
  })

  it('is not taken from anything else', () => {
    for (const text of [
      'begin',
      'select 1',
      `select set_config('statement_timeout', '5', true)`,
      `begin; select set_config('statement_timeout', '0', true)`,
      `beginning; select set_config('statement_timeout', '5', true)`,
    ]) {
      expect(statementLimitOf(makeQuery(text)), text).toBeUndefined()
    }
    expect(statementLimitOf(SYNC)).toBeUndefined()
  })
})
