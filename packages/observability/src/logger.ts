import { Writable } from 'node:stream'
import { terminalJson, terminalText } from '@shardwalk/model'
import winston from 'winston'
import { outliveFullLogDisk } from './full-log-disk.ts'
import { maskSecrets } from './mask.ts'
import { RepeatedErrors } from './repeated-errors.ts'
import { LOST_LINES, WaitingLines } from './waiting-lines.ts'

const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
/** Details of an entry by name. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * Messages are short, constant and in past tense; details are fields in snake_case with units
 * (`duration_ms`).
 */
export interface Logger {
  error(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
  /** A logger that adds these fields to every entry. */
  child(fields: LogFields): Logger
}

/** What is logged, where, and how. */
export interface LoggerOptions {
  readonly level?: LogLevel
  /** Default: `pretty` if the output is a terminal, otherwise `json`. */
  readonly format?: 'pretty' | 'json'
  /** Default: standard error, so that it does not mix with the output of commands. */
  readonly output?: Writable & { readonly isTTY?: boolean }
  /** Fields of every entry, e.g. `{ process: 'ingest' }`. */
  readonly fields?: LogFields
}

/**
 * Creates a logger that masks secrets (keys, tokens, passwords in URLs) anywhere in messages and fields, and
 * that escapes untrusted texts so that they cannot control a terminal.
 * Warnings and errors whose field `error` repeats are written once a minute, with their count as `repeated`.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const output = options.output ?? process.stderr
  outliveFullLogDisk(output)
  const format = options.format ?? (output.isTTY ? 'pretty' : 'json')
  const logger = winston.createLogger({
    level: options.level ?? 'info',
    levels: { error: 0, warn: 1, info: 2, debug: 3 },
    transports: [
      new winston.transports.Stream({
        stream: bounded(output, (lost) => {
          const fields = { ...options.fields, lines: lost }
          output.write(`${LINES[format]({ level: 'warn', message: LOST_LINES, fields })}\n`)
        }),
        format: winston.format.printf((entry) => LINES[format](entry)),
      }),
    ],
  })
  return wrap(logger, options.fields ?? {}, new RepeatedErrors())
}

/** The output, without what nobody reads for long. */
function bounded(output: Writable, onLost: (lines: number) => void): Writable {
  const waiting = new WaitingLines(output, onLost)
  return new Writable({
    decodeStrings: false,
    write(line, _encoding, done) {
      waiting.write(line)
      done()
    },
  })
}

/** Discards everything; for tests and library use. */
export const silentLogger: Logger = {
  error() {},
  warn() {},
  info() {},
  debug() {},
  child: () => silentLogger,
}

type Entry = { readonly level: string; readonly message: unknown; readonly fields?: unknown }

function wrap(logger: winston.Logger, base: LogFields, repeated: RepeatedErrors): Logger {
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (!logger.isLevelEnabled(level)) return
    const admitted = level === 'debug' || !fields ? fields : repeated.admit(message, fields)
    if (fields && !admitted) return
    logger.log({ level, message, fields: admitted ? { ...base, ...admitted } : base })
  }
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: (fields) => wrap(logger, { ...base, ...fields }, repeated),
  }
}

const LINES: Readonly<Record<'pretty' | 'json', (entry: Entry) => string>> = {
  json: ({ level, message, fields }) =>
    terminalJson(
      JSON.stringify({
        ts: new Date().toISOString(),
        level,
        message: maskSecrets(message),
        ...(maskSecrets(fields) as object),
      }),
    ),
  pretty: ({ level, message, fields }) => {
    const time = new Date().toISOString().slice(11, 23)
    const rest = Object.entries(maskSecrets(fields) as object)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}=${prettyValue(value)}`)
    const text = [maskSecrets(message), ...rest].join(' ')
    return `${time} ${COLOURS[level as LogLevel]} ${terminalText(text)}`
  },
}

const COLOURS: Readonly<Record<LogLevel, string>> = {
  error: '\u001b[31merror\u001b[0m',
  warn: '\u001b[33mwarn \u001b[0m',
  info: '\u001b[32minfo \u001b[0m',
  debug: '\u001b[90mdebug\u001b[0m',
}

const prettyValue = (value: unknown): string =>
  typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value)
