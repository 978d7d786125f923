import { IndexerError } from '@shardwalk/model'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import { closest, SettingsError, settingsHelp } from '@shardwalk/settings'
import { takeOptions } from './command-options.ts'
import { COMMANDS } from './commands/index.ts'
import { openContext, readProcessSettings } from './context.ts'
import { programVersion } from './entry.ts'
import { CommandError, messageOf } from './outcome.ts'

/**
 * Runs one command line and returns the exit code: 0 done, 1 fix something, 2 incomplete, 75 try again.
 * Prints errors as text.
 */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  try {
    if (argv[0] === '--version' || argv[0] === 'version') return printVersion()
    const named = COMMANDS[argv.find((argument) => Object.hasOwn(COMMANDS, argument)) ?? '']
    const { options, rest: flags } = takeOptions(argv.map(withoutDashes), named?.options ?? {})
    const { settings, operands, help, given } = readProcessSettings(flags)
    const [name = 'help', ...rest] = operands
    const command = COMMANDS[name]
    if (help || name === 'help') return printHelp(command && name !== 'help' ? name : rest[0])
    if (!command) throw unknownCommand(name)
    if (!command.usage && rest.length > 0) throw unexpectedOperand(name, rest[0]!)
    return await command.run(
      openContext(settings, rest, {
        options,
        networkGiven: given.has('network') || name === 'start',
        creates: typeof command.reads === 'function' ? !command.reads(rest) : !command.reads,
      }),
    )
  } catch (error) {
    return printError(error)
  }
}

/** The only flag that is not a setting is an argument of `repair`. */
const withoutDashes = (argument: string): string => (argument === '--quarantined' ? 'quarantined' : argument)

const unknownCommand = (name: string): CommandError =>
  new CommandError(`unknown command "${name}"; ${adviceFor(name)}`)

function adviceFor(name: string): string {
  const meant = closest(name, Object.keys(COMMANDS))
  return meant ? `did you mean ${meant}?` : '"shardwalk help" lists them'
}

/** Operands are refused so that `npm start sample` does not index another network than intended. */
function unexpectedOperand(command: string, operand: string): CommandError {
  const hint = command === 'start' ? `; did you mean --network ${operand}?` : ''
  return new CommandError(`${command} takes no arguments, got "${operand}"${hint}`)
}

function printVersion(): ExitCode {
  console.log(programVersion())
  return EXIT.done
}

function printHelp(topic: string | undefined): ExitCode {
  const known = topic === undefined ? undefined : COMMANDS[topic]
  if (topic !== undefined && !known) throw unknownCommand(topic)
  const commands = known && topic ? [[topic, known] as const] : Object.entries(COMMANDS)
  const usage = topic === undefined ? '<command>' : `${topic}${known?.usage ? ` ${known.usage}` : ''}`
  const lines = [`Usage: shardwalk ${usage} [flags]`, '']
  for (const [name, { usage, help }] of commands)
    lines.push(`  ${name}${usage ? ` ${usage}` : ''}`, `      ${help}`)
  console.log([...lines, '', settingsHelp(topic === undefined ? undefined : known?.uses)].join('\n'))
  return EXIT.done
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
  console.error(messageOf(error))
  if (error instanceof IndexerError && error.retry === 'later') return EXIT.tryAgain
  if (process.env['LOG_LEVEL'] === 'debug') console.error(error)
  return EXIT.fix
}
