import { DEFINITION, definitions, REQUIRED_TOGETHER, type Settings } from './definition.ts'
import type { Setting } from './setting.ts'

/** Environment variables, or the parsed content of `.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

export interface SettingsInput {
  /** Values of flags by their names without dashes. */
  readonly flags?: ReadonlyMap<string, string>
  readonly env?: Environment
  /** Parsed content of `.env`; the environment takes precedence. */
  readonly dotenv?: Environment
  /** Reads a file given as `<SECRET>_FILE`; may throw. If undefined, such settings are refused. */
  readonly readSecretFile?: (path: string) => string
}

export interface SettingsReading {
  readonly settings: Settings
  /** Settings that were given explicitly rather than by default. */
  readonly given: ReadonlySet<keyof Settings>
}

/** All problems of the settings, one line each with the name of the setting. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'SettingsError'
  }
}

/**
 * Reads all settings. Flags take precedence over the environment, then `.env`, then defaults. Throws
 * `SettingsError` with all problems at once.
 */
export function readSettings(input: SettingsInput): SettingsReading {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  const givenKeys = new Set<keyof Settings>()
  for (const [key, setting] of definitions()) {
    const given = findGiven(setting, { ...input, problems })
    if (given === undefined) continue
    if (!given.isDefault) givenKeys.add(key)
    const parsed = setting.kind.parse(given.value)
    if ('value' in parsed) values[key] = parsed.value
    else problems.push(`${given.from}: ${parsed.problem}`)
  }
  if (problems.length === 0) problems.push(...REQUIRED_TOGETHER.flatMap((keys) => missingOf(keys, values)))
  if (problems.length > 0) throw new SettingsError(problems)
  return { settings: Object.freeze(values) as Settings, given: givenKeys }
}

function missingOf(keys: readonly (keyof Settings)[], values: Readonly<Record<string, unknown>>): string[] {
  const missing = keys.filter((key) => values[key] === undefined)
  if (missing.length === 0 || missing.length === keys.length) return []
  const names = keys.map((key) => DEFINITION[key].name)
  return missing.map(
    (key) => `${DEFINITION[key].name}: not given; ${names.join(', ')} must be given together or not at all`,
  )
}

interface Given {
  readonly value: string
  /** Name for messages: `API_PORT` or `--api-port`. */
  readonly from: string
  readonly isDefault?: true
}

function findGiven(
  setting: Setting<unknown>,
  input: SettingsInput & { problems: string[] },
): Given | undefined {
  const flag = setting.flag === undefined ? undefined : input.flags?.get(setting.flag)
  if (flag !== undefined) return { value: flag, from: `--${setting.flag}` }
  for (const source of [input.env ?? {}, input.dotenv ?? {}]) {
    const value = source[setting.name]
    // An empty variable counts as absent, because compose files pass `${NAME:-}` for settings that are not
    // set.
    if (value !== undefined && value !== '') return { value, from: setting.name }
    const file = setting.secret ? source[`${setting.name}_FILE`] : undefined
    if (file) return readSecret(setting.name, file, input)
  }
  return setting.default === undefined
    ? undefined
    : { value: setting.default, from: setting.name, isDefault: true }
}

function readSecret(
  name: string,
  path: string,
  input: SettingsInput & { problems: string[] },
): Given | undefined {
  try {
    if (!input.readSecretFile) throw new Error('files cannot be read here')
    const value = input.readSecretFile(path).trim()
    // Not the same as no secret: a client that sends none would know it.
    if (value === '') throw new Error('it is empty')
    return { value, from: `${name}_FILE` }
  } catch (error) {
    input.problems.push(`${name}_FILE: cannot read ${path}: ${(error as Error).message}`)
    return undefined
  }
}
