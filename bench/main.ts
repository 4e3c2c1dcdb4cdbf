// The one way to run a measurement: `npm run bench -- NAME [options] [--json]`. The last line is one
// JSON object; without --json a table of the same figures comes before it.
import { runDocumentsBench } from './documents.ts'
import { runStartBench } from './start.ts'

type Bench = (args: readonly string[]) => Promise<Readonly<Record<string, unknown>>>

const BENCHES: Readonly<Record<string, Bench>> = {
  documents: runDocumentsBench,
  start: runStartBench,
}

const [name = '', ...args] = process.argv.slice(2)
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined
if (bench === undefined) {
  console.error(
    `Usage: npm run bench -- NAME [--json]; NAME is one of ${Object.keys(BENCHES).join(', ')}`,
  )
  process.exitCode = 2
} else {
  const figures = await bench(args)
  if (!args.includes('--json')) console.table(figures)
  console.log(JSON.stringify(figures))
}
