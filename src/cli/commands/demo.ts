import type { Command } from 'commander'

import { isColoured } from '../output.ts'
import type { Session } from '../session.ts'

/** `heddle demo`: the main job on real input, in a folder of its own. */
export function addDemoCommand(program: Command, session: Session): void {
  const command = program
    .command('demo')
    .description('Show the main job on real documents: import, remember, recall with citations')
  command.action(async () => {
    const { runDemo, stdout, stderr, terminal, env, signal } = session.deps
    session.exitCode = await runDemo({
      isJson: session.globals(command).json === true,
      isColoured: isColoured(terminal.stdout, env),
      stdout,
      stderr,
      signal,
    })
  })
}
