import { createLogger, type Logger, type LoggerOptions } from './logger.ts'
import { createShutdown, type Shutdown, type ShutdownOptions } from './shutdown.ts'

interface LogSettings {
  readonly logLevel: LoggerOptions['level']
  readonly logFormat?: LoggerOptions['format']
}

/** The log of a process, and its end, which begins with a signal. `name` is in every entry. */
export function beginProcess(
  name: string,
  { logLevel: level, logFormat: format }: LogSettings,
  limits: Pick<ShutdownOptions, 'deadlineMs'> = {},
): { readonly log: Logger; readonly shutdown: Shutdown } {
  const log = createLogger({ level, format, fields: { process: name } })
  const shutdown = createShutdown({ log, ...limits })
  shutdown.listen()
  return { log, shutdown }
}
