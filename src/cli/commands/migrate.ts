import type { Command } from 'commander'

import type { LoginReport } from '../../engines/postgres/engine.ts'
import type { Output } from '../output.ts'
import { renderTable } from '../render/table.ts'
import type { Session } from '../session.ts'

/** `heddle migrate`: brings the schema of the database up to date. */
export function addMigrateCommand(program: Command, session: Session): void {
  const command = program
    .command('migrate')
    .description(
      'Bring the database schema up to date; on a new server also make the roles and let heddle_app log in',
    )
  command.action(async () => {
    const output = session.output(command)
    const report = await session.withOperator(
      command,
      (heddle) => heddle.postgres.migrate({ signal: session.deps.signal, isImpatient: true }),
      { anySchema: true },
    )
    const { from, to, applied, login } = report
    output.result({ ok: true, from, to, applied, ...(login && { login }) }, () =>
      applied.length === 0
        ? `The schema is up to date (version ${to})`
        : `${renderTable(
            ['version', 'name', 'ms'],
            applied.map(({ version, name, ms }) => [version, name, ms]),
          )}\n\nfrom version ${from} to ${to}`,
    )
    if (login !== undefined) tellLogin(output, login)
  })
}

function tellLogin(output: Output, { role, state }: LoginReport): void {
  if (state === 'given') output.note(`${role} can log in now, with the password of DATABASE_URL.`)
  if (state === 'missing') {
    output.note(
      `${role} cannot log in, and this user may not change that. An administrator has to run: alter role ${role} login password '…';`,
    )
  }
}
