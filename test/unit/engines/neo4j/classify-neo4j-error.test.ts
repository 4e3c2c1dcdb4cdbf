import { inspect } from 'node:util'

import neo4j from 'neo4j-driver'
import { describe, expect, it } from 'vitest'

import { HeddleError } from '../../../../src/core/errors.ts'
import {
  classifyNeo4jError,
  isRetriableFailure,
  neo4jCodeOf,
  type TransactionPhase,
} from '../../../../src/engines/neo4j/classify-neo4j-error.ts'

/** A driver error as the driver makes it. */
function driverError(code: string, cause?: Error, message = 'of the private kind'): Error {
  // The declared type of `code` names only the driver's own codes; the server's come the same way.
  return new neo4j.Neo4jError(message, code, '50N42', message, undefined, cause)
}

describe('classifyNeo4jError', () => {
  it.each([
    ['ServiceUnavailable', 'begin', 'ENGINE_UNAVAILABLE', 'connection'],
    ['SessionExpired', 'begin', 'ENGINE_UNAVAILABLE', 'connection'],
    ['ServiceUnavailable', 'work', 'ENGINE_UNAVAILABLE', 'connection'],
    ['ServiceUnavailable', 'commit', 'ENGINE_CONNECTION_LOST', undefined],
    ['SessionExpired', 'commit', 'ENGINE_CONNECTION_LOST', undefined],
    ['ProtocolError', 'commit', 'ENGINE_CONNECTION_LOST', undefined],
    ['ProtocolError', 'work', 'ENGINE_FAILED', undefined],
    [
      'Neo.DatabaseError.Transaction.TransactionCommitFailed',
      'commit',
      'ENGINE_CONNECTION_LOST',
      undefined,
    ],
    ['Neo.DatabaseError.General.UnknownError', 'work', 'ENGINE_FAILED', undefined],
    ['Neo.TransientError.Transaction.DeadlockDetected', 'work', 'ENGINE_BUSY', undefined],
    ['Neo.TransientError.Transaction.DeadlockDetected', 'commit', 'ENGINE_BUSY', undefined],
    ['Neo.TransientError.General.MemoryPoolOutOfMemoryError', 'work', 'ENGINE_BUSY', undefined],
    ['Neo.TransientError.General.DatabaseUnavailable', 'begin', 'ENGINE_UNAVAILABLE', 'database'],
    ['Neo.TransientError.Transaction.BookmarkTimeout', 'begin', 'ENGINE_UNAVAILABLE', 'bookmark'],
    ['Neo.ClientError.Transaction.InvalidBookmark', 'begin', 'ENGINE_FAILED', 'bookmark'],
    ['Neo.ClientError.Database.DatabaseNotFound', 'begin', 'ENGINE_UNAVAILABLE', 'database'],
    ['Neo.ClientError.Security.Unauthorized', 'begin', 'ENGINE_UNAVAILABLE', 'authentication'],
    [
      'Neo.ClientError.Security.AuthenticationRateLimit',
      'begin',
      'ENGINE_UNAVAILABLE',
      'authentication',
    ],
    ['Neo.ClientError.Security.Forbidden', 'work', 'ENGINE_UNAVAILABLE', 'authorization'],
    [
      'Neo.ClientError.Transaction.TransactionTimedOut',
      'work',
      'ENGINE_STATEMENT_TIMEOUT',
      undefined,
    ],
    [
      'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration',
      'work',
      'ENGINE_STATEMENT_TIMEOUT',
      undefined,
    ],
    ['Neo.ClientError.Transaction.Terminated', 'work', 'ENGINE_BUSY', undefined],
    ['Neo.ClientError.Schema.ConstraintValidationFailed', 'work', 'ENGINE_FAILED', undefined],
    ['Neo.ClientError.Schema.ConstraintValidationFailed', 'commit', 'ENGINE_FAILED', undefined],
  ] as const)('%s at %s is %s', (code, phase, expected, reason) => {
    const error = classifyNeo4jError(driverError(code), { phase, statement: 'fact.insert' })
    expect(error).toBeInstanceOf(HeddleError)
    expect(error).toMatchObject({ code: expected })
    expect((error as HeddleError).details).toEqual({
      engine: 'neo4j',
      statement: 'fact.insert',
      ...(code.startsWith('Neo.') ? { neo4jCode: code } : {}),
      ...(reason === undefined ? {} : { reason }),
    })
    expect(neo4jCodeOf(error)).toBe(code)
  })

  it('takes a full pool for what it is, though the driver gives it no code', () => {
    const text = 'Connection acquisition timed out in 5 ms. Pool status: Active conn count = 2'
    expect(
      classifyNeo4jError(driverError('N/A', undefined, text), { phase: 'begin' }),
    ).toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      details: { reason: 'pool' },
    })
  })

  it('keeps no text of the server that could quote a value', () => {
    const text = `Node(7) already exists with property name = 'Ada'`
    const code = 'Neo.ClientError.Schema.ConstraintValidationFailed'
    const error = classifyNeo4jError(driverError(code, new Error(text), text), { phase: 'work' })
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('Ada')
  })

  it('keeps the text of a syntax error, which can only quote the statement', () => {
    const code = 'Neo.ClientError.Statement.SyntaxError'
    const error = classifyNeo4jError(driverError(code, undefined, `Invalid input 'MATCHH'`), {
      phase: 'work',
    })
    expect((error as HeddleError).cause).toMatchObject({ message: `Invalid input 'MATCHH'` })
  })

  it('passes on what is not an error of the driver', () => {
    const own = new HeddleError('NOT_FOUND')
    expect(classifyNeo4jError(own, { phase: 'work' })).toBe(own)
    expect(classifyNeo4jError('text', { phase: 'commit' })).toBe('text')
    expect(neo4jCodeOf(own)).toBeUndefined()
    expect(neo4jCodeOf(undefined)).toBeUndefined()
  })
})

describe('isRetriableFailure', () => {
  const notLeader = driverError('Neo.ClientError.Cluster.NotALeader')

  it.each([
    ['a broken connection before the commit', driverError('ServiceUnavailable'), 'work', true],
    ['a broken connection at the commit', driverError('ServiceUnavailable'), 'commit', false],
    ['an expired session at the commit', driverError('SessionExpired'), 'commit', false],
    [
      'a server that is no longer the leader',
      driverError('SessionExpired', notLeader),
      'commit',
      true,
    ],
    ['a deadlock', driverError('Neo.TransientError.Transaction.DeadlockDetected'), 'work', true],
    [
      'a deadlock at the commit',
      driverError('Neo.TransientError.Transaction.DeadlockDetected'),
      'commit',
      true,
    ],
    [
      'a fault of the server at the commit',
      driverError('Neo.DatabaseError.General.UnknownError'),
      'commit',
      false,
    ],
    [
      'a violated constraint',
      driverError('Neo.ClientError.Schema.ConstraintValidationFailed'),
      'work',
      false,
    ],
    [
      'an expired authorization',
      driverError('Neo.ClientError.Security.AuthorizationExpired'),
      'work',
      true,
    ],
    ['a wrong password', driverError('Neo.ClientError.Security.Unauthorized'), 'begin', false],
    ['something else', new Error('mine'), 'work', false],
  ] as const)('%s', (_what, error, phase: TransactionPhase, expected) => {
    expect(isRetriableFailure(error, phase)).toBe(expected)
  })
})
