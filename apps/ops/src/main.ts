import { EXIT, type ExitCode } from '@shardwalk/observability'
import { SettingsError, settingsHelp } from '@shardwalk/settings'
import { COMMANDS } from './commands/index.ts'
import { openContext, readProcessSettings } from './context.ts'
import { CommandError, messageOf } from './outcome.ts'

/** Runs one command line; returns the exit code: 0 done, 1 fix something, 75 try again. Errors go to standard error as text. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  try {
    const { settings, operands, help, given } = readProcessSettings(argv)
    const [name = 'help', ...rest] = operands
    const command = COMMANDS[name]
    if (help || name === 'help') return printHelp(command && name !== 'help' ? name : rest[0])
    if (!command) throw new CommandError(`unknown command "${name}"; "shardwalk help" lists them`)
    return await command.run(openContext(settings, rest, given.has('network') || name === 'start'))
  } catch (error) {
    return printError(error)
  }
}

function printHelp(topic: string | undefined): ExitCode {
  const known = topic === undefined ? undefined : COMMANDS[topic]
  const commands = known && topic ? [[topic, known] as const] : Object.entries(COMMANDS)
  const lines = ['Usage: shardwalk <command> [flags]', '']
  for (const [name, { usage, help }] of commands) lines.push(`  ${name}${usage ? ` ${usage}` : ''}`, `      ${help}`)
  console.log([...lines, '', settingsHelp()].join('\n'))
  return EXIT.done
}

function printError(error: unknown): ExitCode {
  if (error instanceof SettingsError) {
    console.error(`These settings are not usable:\n${error.problems.map((problem) => `  ${problem}`).join('\n')}`)
    return EXIT.fix
  }
  if (error instanceof CommandError) {
    console.error(error.message)
    return error.exitCode
  }
  console.error(messageOf(error))
  if (process.env['LOG_LEVEL'] === 'debug') console.error(error)
  return EXIT.fix
}
