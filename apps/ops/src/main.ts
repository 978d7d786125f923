import { IndexerError } from '@shardwalk/model'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import { SettingsError } from '@shardwalk/settings'
import { isAwayForNow, lacksFiles } from './away-for-now.ts'
import { readCommandLine } from './command-line.ts'
import { COMMANDS } from './commands/index.ts'
import { openContext, readProcessSettings } from './context.ts'
import { isDamaged } from './damaged-database.ts'
import { programVersion } from './entry.ts'
import { CommandError, messageOf } from './outcome.ts'

/**
 * Runs one command line and returns the exit code: 0 done, 1 fix something, 2 incomplete, 75 try again.
 * Prints errors as text.
 */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  try {
    const print = (text: string) => console.log(text)
    const asked = readCommandLine(argv, { commands: COMMANDS, version: programVersion(), print })
    if (!asked) return EXIT.done
    const { name, operands, options, flags } = asked
    const command = COMMANDS[name]!
    const { settings, given } = readProcessSettings(flags)
    if (!settings.databaseUrl && !settings.databaseReadUrl) forgetTlsOfOthers()
    if (!command.usage && operands.length > 0) throw unexpectedOperand(name, operands[0]!)
    return await command.run(
      openContext(settings, operands, {
        options,
        given,
        networkGiven: given.has('network') || name === 'start',
        creates: typeof command.reads === 'function' ? !command.reads(operands) : !command.reads,
      }),
    )
  } catch (error) {
    return printError(error)
  }
}

/**
 * The embedded server does not encrypt, and pg takes PGSSLMODE=prefer of a user of psql for a demand to
 * verify. Processes that this one starts inherit the environment.
 */
function forgetTlsOfOthers(): void {
  delete process.env['PGSSLMODE']
}

/** Operands are refused so that `npm start sample` does not index another network than intended. */
function unexpectedOperand(command: string, operand: string): CommandError {
  const hint = command === 'start' ? `; did you mean --network ${operand}?` : ''
  return new CommandError(`${command} takes no arguments, got "${operand}"${hint}`)
}

function printError(error: unknown): ExitCode {
  if (error instanceof SettingsError) {
    console.error(`Invalid settings:\n${error.problems.map((problem) => `  ${problem}`).join('\n')}`)
    return EXIT.fix
  }
  if (error instanceof CommandError) {
    console.error(error.message)
    return error.exitCode
  }
  if (lacksFiles(error)) {
    console.error(`This process may not open more files; raise the limit (ulimit -n): ${messageOf(error)}`)
    return EXIT.fix
  }
  if (isAwayForNow(error)) {
    console.error(`The database went away; run the command again when it is back: ${messageOf(error)}`)
    return EXIT.tryAgain
  }
  if (isDamaged(error)) {
    console.error(
      `Files of the database are missing or damaged: ${messageOf(error)}. Restore a complete copy, or ` +
        'index again into an empty database (another DATA_DIR or DATABASE_URL); see docs/upgrading.md.',
    )
    return EXIT.fix
  }
  console.error(messageOf(error))
  if (error instanceof IndexerError && error.retry === 'later') return EXIT.tryAgain
  if (process.env['LOG_LEVEL'] === 'debug') console.error(error)
  return EXIT.fix
}
