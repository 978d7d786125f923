import { definitions, GROUPS, type GroupName, type Setting, settingText } from '@shardwalk/settings'
import { type Command as Commander, Option } from 'commander'
import { CommandError } from './outcome.ts'

/** `--json` is short for this value of this flag. */
const JSON_FLAG = ['log-format', 'json'] as const
/** Every command accepts the name of a network. */
const ALWAYS = 'network'

type Shown = Setting<unknown> & { readonly group: GroupName }

const settings = (): readonly Shown[] =>
  (Object.keys(GROUPS) as GroupName[]).flatMap((group) =>
    (Object.values(GROUPS[group]) as Setting<unknown>[]).map((setting) => ({ ...setting, group })),
  )

/**
 * The flags of all settings. Those of other groups than `groups` are accepted and not shown: a script passes
 * the same flags to all commands. Values are checked with those of the environment, all at once.
 */
export function settingOptions(groups = Object.keys(GROUPS) as readonly GroupName[]): Option[] {
  const options = settings().flatMap((setting) => [...flagOf(setting, groups), ...otherNames(setting)])
  const json = new Option('--json', `the same as --${JSON_FLAG.join(' ')}`).helpGroup('Logs:')
  return [...options, groups.includes('Logs') ? json : json.hideHelp()]
}

function flagOf({ flag, group, ...setting }: Shown, groups: readonly GroupName[]): Option[] {
  if (flag === undefined) return []
  const option = new Option(`--${flag} <value>`, settingText(setting))
    .helpGroup(`${group}:`)
    .argParser(givenValue(`--${flag}`))
  return [groups.includes(group) || flag === ALWAYS ? option : option.hideHelp()]
}

/** The name of a setting is not its flag: secrets have none, and some flags are shorter. */
function otherNames({ name, flag, secret }: Shown): Option[] {
  const byName = name.toLowerCase().replaceAll('_', '-')
  if (byName === flag) return []
  const advice = secret
    ? `a command line is visible to all users; set ${name} in the environment or in .env`
    : flag === undefined
      ? `has no flag; set ${name} in the environment or in .env`
      : `unknown; did you mean --${flag}?`
  const refuse = () => {
    throw new CommandError(`--${byName}: ${advice}`)
  }
  return [new Option(`--${byName} <value>`).argParser(refuse).hideHelp()]
}

/** A flag in the place of a value means that the value was forgotten. */
export const givenValue =
  (flag: string) =>
  (value: string): string => {
    if (value === '' || /^--[a-z]/.test(value)) throw new CommandError(`${flag}: a value is missing`)
    return value
  }

/** The flags of settings that were given to a command. */
export function givenFlags(command: Commander): ReadonlyMap<string, string> {
  const known = new Set(definitions().map(([, { flag }]) => flag))
  const flags = new Map<string, string>()
  for (const option of command.options) {
    const value = command.getOptionValue(option.attributeName()) as unknown
    if (value === true && option.name() === 'json') flags.set(...JSON_FLAG)
    if (typeof value === 'string' && known.has(option.name())) flags.set(option.name(), value)
  }
  return flags
}

/** Help on settings without a flag. */
export function environmentText(groups = Object.keys(GROUPS) as readonly GroupName[]): string {
  const without = settings().filter(({ flag, group }) => flag === undefined && groups.includes(group))
  if (without.length === 0) return ''
  const lines = without.map((setting) => `  ${setting.name}\n      ${settingText(setting)}`)
  return ['', 'In the environment or in .env only:', ...lines].join('\n')
}
