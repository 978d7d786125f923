import { closest } from '@shardwalk/settings'
import { Command as Commander, CommanderError, Option } from 'commander'
import type { OptionKinds, Options } from './command-options.ts'
import type { Command } from './commands/index.ts'
import { CommandError } from './outcome.ts'
import { environmentText, givenFlags, givenValue, settingOptions } from './setting-flags.ts'

/** A parsed command line. */
export interface Asked {
  readonly name: string
  readonly operands: readonly string[]
  /** Of the command alone. */
  readonly options: Options
  /** Of settings, by name without dashes. */
  readonly flags: ReadonlyMap<string, string>
}

export interface Program {
  readonly commands: Readonly<Record<string, Command>>
  readonly version: string
  readonly print: (text: string) => void
}

/**
 * Reads a command line. Undefined: it asked for help or the version, which was printed. Throws `CommandError`
 * for what no command takes, with the closest that one does.
 */
export function readCommandLine(argv: readonly string[], program: Program): Asked | undefined {
  let asked: Asked | undefined
  const found = (command: Asked) => {
    asked = command
  }
  const root = describe(program, { argv, found })
  if (argv.length === 0) {
    root.outputHelp()
    return undefined
  }
  try {
    root.parse([...argv], { from: 'user' })
    return asked
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    throw new CommandError(error.message.replace(/^error: /, '').replace('\n(Did', ' (did'))
  }
}

interface Asking {
  readonly argv: readonly string[]
  readonly found: (asked: Asked) => void
}

/** Has the flags of the commands that `argv` names: to describe those of all takes longer than all else. */
function describe({ commands, version, print }: Program, { argv, found }: Asking): Commander {
  const write = (text: string) => print(text.replace(/\n+$/, ''))
  const root = new Commander('shardwalk')
    .description('Indexes TON through lite servers into PostgreSQL and serves API v3 and v2.')
    .usage('<command> [flags]')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'show this text')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} })
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', '\n"shardwalk help <command>" shows the flags of a command.')
  // Flags may also stand before the command.
  for (const option of settingOptions()) root.addOption(option.hideHelp())
  for (const [name, command] of Object.entries(commands)) {
    const added = addCommand(root, { name, command, found })
    if (argv.includes(name)) addFlags(added, command)
  }
  root.command('help [command]').description('Show all commands, or the flags of one.').action(showHelp)
  root.command('version', { hidden: true }).action(() => print(version))
  return root
}

/** `help` of a command that does not exist is a mistake, like the command itself. */
function showHelp(topic: string | undefined, _options: unknown, { parent }: Commander): void {
  const commands = parent!.commands
  const meant = topic === undefined ? parent! : commands.find((command) => command.name() === topic)
  if (meant) {
    meant.outputHelp()
    return
  }
  const near = closest(
    topic!,
    commands.map((command) => command.name()),
  )
  throw new CommandError(`unknown command '${topic}'${near ? ` (did you mean ${near}?)` : ''}`)
}

interface Added {
  readonly name: string
  readonly command: Command
  readonly found: (asked: Asked) => void
}

function addCommand(root: Commander, { name, command, found }: Added): Commander {
  const { help, usage, options: own = {} } = command
  const added: Commander = root
    .command(name)
    .summary(help.split(/(?<=\.) /)[0]!)
    .description(help)
    .usage(usage ? `${usage} [flags]` : '[flags]')
    // They are refused later, with advice.
    .allowExcessArguments()
    .action(() => {
      const flags = new Map([...givenFlags(root), ...givenFlags(added)])
      for (const option of Object.keys(own)) flags.delete(option)
      found({ name, operands: added.args, options: ownOptions(added, own), flags })
    })
  return added
}

function addFlags(added: Commander, { uses, options: own = {} }: Command): void {
  for (const [option, kind] of Object.entries(own)) added.addOption(ownOption(option, kind))
  for (const option of settingOptions(uses)) if (!Object.hasOwn(own, option.name())) added.addOption(option)
  added.addHelpText('after', environmentText(uses))
}

function ownOption(name: string, kind: OptionKinds[string]): Option {
  const [type, help] = typeof kind === 'string' ? [kind, undefined] : kind
  const flag = name.length === 1 ? `-${name}` : `--${name}`
  if (type === 'switch') return new Option(flag, help)
  const read = givenValue(flag)
  const list = (value: string, before?: string) => (before ? `${before},${read(value)}` : read(value))
  return new Option(`${flag} <value>`, help).argParser(type === 'list' ? list : read)
}

function ownOptions(command: Commander, own: OptionKinds): Options {
  const options: Record<string, string | true> = {}
  for (const option of command.options) {
    const value = command.getOptionValue(option.attributeName()) as string | true | undefined
    if (value !== undefined && Object.hasOwn(own, option.name())) options[option.name()] = value
  }
  return options
}
