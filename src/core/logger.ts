/** Ids, codes, counts and durations; never memory contents. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

/** Where events are reported. `event` is a fixed dotted name such as `engine.host_taken_over`. */
export interface Logger {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

export const SILENT_LOGGER: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

/** One JSON line per event of at least `level`, written through `write` (standard error in the programs). */
export function makeJsonLogger(level: LogLevel, write: (line: string) => void): Logger {
  const floor = ORDER.indexOf(level)
  const at = (lineLevel: Exclude<LogLevel, 'silent'>) => (event: string, fields?: LogFields) => {
    if (ORDER.indexOf(lineLevel) < floor) return
    write(
      `${JSON.stringify({ time: new Date(Date.now()).toISOString(), level: lineLevel, event, ...fields })}\n`,
    )
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
