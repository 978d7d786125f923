import { CommandError } from './outcome.ts'

/**
 * Options of a command, beside the flags of settings. `value`: one follows; `switch`: none does; `list`: one
 * follows, and the option may be given again.
 */
export type OptionKinds = Readonly<Record<string, 'value' | 'switch' | 'list'>>

/** By name, without dashes. */
export type Options = Readonly<Record<string, string | true>>

/**
 * Takes the options of a command out of a command line; the rest is left for the settings. `--name value`
 * and `--name=value`, one letter as `-c`. Throws `CommandError` for a value that is missing or too much.
 */
export function takeOptions(
  argv: readonly string[],
  kinds: OptionKinds,
): { readonly options: Options; readonly rest: readonly string[] } {
  const options: Record<string, string | true> = {}
  const rest: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!
    const [, flag, name, , inline] = /^(--([a-z-]+)|-[a-z])(=(.*))?$/s.exec(argument) ?? []
    const key = name ?? flag?.slice(1)
    const kind = key !== undefined && Object.hasOwn(kinds, key) ? kinds[key] : undefined
    if (!key || !kind) rest.push(argument)
    else if (kind === 'switch') {
      if (inline !== undefined) throw new CommandError(`${flag}: takes no value`)
      options[key] = true
    } else {
      const value = inline ?? argv[++at]
      if (value === undefined || (inline === undefined && value.startsWith('--')))
        throw new CommandError(`${flag}: a value is missing`)
      const before = options[key]
      options[key] = kind === 'list' && typeof before === 'string' ? `${before},${value}` : value
    }
  }
  return { options, rest }
}

/** Text of an option that takes a value. */
export const textOption = (options: Options, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** Values of an option that is a list: given several times, or separated by commas. */
export const listOption = (options: Options, name: string): readonly string[] =>
  (textOption(options, name) ?? '').split(',').filter((value) => value !== '')
