import pg from 'pg'
import { describe, expect, it } from 'vitest'

import { HeddleError } from '../../../../src/core/errors.ts'
import { classifyError, isTransient } from '../../../../src/engines/postgres/classify-error.ts'
import { constraintOf, sqlStateOf } from '../../../../src/engines/postgres/sql-failure.ts'

function databaseError(code: string, message = 'secret value'): pg.DatabaseError {
  const error = new pg.DatabaseError(message, message.length, 'error')
  error.code = code
  error.detail = 'Key (note)=(secret) exists'
  error.constraint = 'note_key'
  return error
}

describe('an error of the database', () => {
  it.each([
    ['40001', 'statement', 'ENGINE_BUSY'],
    ['40P01', 'statement', 'ENGINE_BUSY'],
    ['57014', 'statement', 'ENGINE_STATEMENT_TIMEOUT'],
    ['57P01', 'begin', 'ENGINE_UNAVAILABLE'],
    ['57P01', 'statement', 'ENGINE_CONNECTION_LOST'],
    ['57P01', 'commit', 'ENGINE_CONNECTION_LOST'],
    ['25P03', 'statement', 'ENGINE_CONNECTION_LOST'],
    ['08006', 'connect', 'ENGINE_UNAVAILABLE'],
    ['53300', 'connect', 'ENGINE_UNAVAILABLE'],
    ['28P01', 'connect', 'ENGINE_LOGIN_REFUSED'],
    ['28000', 'connect', 'ENGINE_LOGIN_REFUSED'],
    ['3D000', 'begin', 'ENGINE_LOGIN_REFUSED'],
    ['42501', 'begin', 'ENGINE_LOGIN_REFUSED'],
    ['22023', 'begin', 'SCHEMA_BEHIND'],
    ['22023', 'statement', 'ENGINE_FAILED'],
    ['23505', 'statement', 'ENGINE_FAILED'],
    ['42501', 'statement', 'ENGINE_FAILED'],
  ] as const)('%s in %s is %s', (sqlstate, phase, code) => {
    expect(classifyError(databaseError(sqlstate), phase).code).toBe(code)
  })

  it('keeps names and drops values', () => {
    const error = classifyError(databaseError('23505'), 'statement', 'note.insert')
    expect(error.details).toEqual({ statement: 'note.insert', sqlstate: '23505' })
    expect(sqlStateOf(error)).toBe('23505')
    expect(constraintOf(error)).toBe('note_key')
    expect(JSON.stringify([error, error.message, String(error.cause)])).not.toContain('secret')
  })

  it('keeps the text only where it names objects of the schema', () => {
    const missing = classifyError(
      databaseError('42P01', 'relation "note" does not exist'),
      'statement',
    )
    expect(String(missing.cause)).toContain('relation "note"')
  })
})

describe('an error of the connection', () => {
  const broken = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

  it('leaves nothing behind before BEGIN was answered, and an open question after', () => {
    expect(classifyError(broken, 'begin')).toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      details: { reason: 'ECONNRESET' },
    })
    expect(classifyError(broken, 'commit').code).toBe('ENGINE_CONNECTION_LOST')
  })

  it('is worth another attempt, unlike a refusal', () => {
    expect(isTransient(broken)).toBe(true)
    expect(isTransient(databaseError('57P03'))).toBe(true)
    expect(isTransient(databaseError('28P01'))).toBe(false)
    expect(isTransient(new HeddleError('CANCELLED'))).toBe(false)
  })

  it('is no use to repeat when the driver itself refuses to log in', () => {
    const missing = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string')
    expect(classifyError(missing, 'begin')).toMatchObject({
      code: 'ENGINE_LOGIN_REFUSED',
      details: { reason: 'password_missing' },
    })
    expect(isTransient(missing)).toBe(false)
  })

  it('passes on what is classified already', () => {
    const known = new HeddleError('CANCELLED')
    expect(classifyError(known, 'statement')).toBe(known)
  })
})
