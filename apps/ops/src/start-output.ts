import type { Context } from './context.ts'
import { programVersion } from './entry.ts'
import type { Terminal } from './terminal.ts'

/** The lines that `start` prints for people, in addition to the log. */
export class StartOutput {
  /** Whether lines are for people: JSON is for programs. */
  private readonly isForPeople: boolean
  /** The context with the level of what is logged. */
  readonly context: Context

  /**
   * On a terminal, warnings and errors are logged and everything else is summarised in a few lines, unless
   * `--verbose` or a log level asks for more.
   */
  constructor(
    context: Context,
    private readonly terminal: Terminal,
  ) {
    const { settings, given, options } = context
    const format = settings.logFormat ?? (terminal.isTerminal ? 'pretty' : 'json')
    this.isForPeople = format === 'pretty'
    const isShort = this.isForPeople && !given.has('logLevel') && options['verbose'] !== true
    this.context = isShort ? { ...context, settings: { ...settings, logLevel: 'warn' } } : context
  }

  begin(): void {
    const { settings, dataDir } = this.context
    const database = settings.databaseUrl === undefined ? `data in ${dataDir}` : 'database of DATABASE_URL'
    const what = `network ${settings.network}, profile ${settings.apiProfile}, ${database}`
    this.say(`Shardwalk ${programVersion()}: ${what}`)
  }

  stopping(): void {
    this.terminal.status('')
    this.say('Stopping: first the processes, then the database. Ctrl-C again ends all at once.')
  }

  stopped(): void {
    this.say('Stopped. The next start continues from here.')
  }

  private say(text: string): void {
    if (this.isForPeople) this.terminal.line(text)
  }
}
