import type { Command } from 'commander'

import { renderTable } from '../render/table.ts'
import type { Session } from '../session.ts'

/** `heddle migrate`: brings the schema of the database up to date. */
export function addMigrateCommand(program: Command, session: Session): void {
  const command = program.command('migrate').description('Bring the database schema up to date')
  command.action(async () => {
    const output = session.output(command)
    const report = await session.withOperator(
      command,
      (heddle) => heddle.postgres.migrate({ signal: session.deps.signal }),
      { anySchema: true },
    )
    const { from, to, applied } = report
    output.result({ ok: true, from, to, applied }, () =>
      applied.length === 0
        ? `The schema is up to date (version ${to})`
        : `${renderTable(
            ['version', 'name', 'ms'],
            applied.map(({ version, name, ms }) => [version, name, ms]),
          )}\n\nfrom version ${from} to ${to}`,
    )
  })
}
