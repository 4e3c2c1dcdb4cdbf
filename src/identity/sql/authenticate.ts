import type { Statement } from '../../engines/postgres/statement.ts'

/** The one look-up that happens before a tenant is known. */
export function authenticateStatement(tokenHash: Buffer): Statement {
  return {
    name: 'credential.authenticate',
    text: 'select * from heddle.authenticate($1)',
    values: [tokenHash],
  }
}
