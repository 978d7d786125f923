/** `value`: one follows; `switch`: none does; `list`: one follows, and the option may be given again. */
type Kind = 'value' | 'switch' | 'list'

/** Options of a command, beside the flags of settings. */
export type OptionKinds = Readonly<Record<string, Kind | readonly [kind: Kind, help: string]>>

/** By name, without dashes. */
export type Options = Readonly<Record<string, string | true>>

/** Text of an option that takes a value. */
export const textOption = (options: Options, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** Values of an option that is a list: given several times, or separated by commas. */
export const listOption = (options: Options, name: string): readonly string[] =>
  (textOption(options, name) ?? '').split(',').filter((value) => value !== '')
