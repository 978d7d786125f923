import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { chooseNetwork, type NetworkChoice } from '@shardwalk/networks'
import { type Environment, readSettings, type Settings } from '@shardwalk/settings'
import type { Options } from './command-options.ts'
import { openDataDir, readCurrentNetwork } from './data-dir.ts'
import { CommandError, messageOf } from './outcome.ts'

/** Input of every command. */
export interface Context {
  readonly settings: Settings
  readonly network: NetworkChoice
  /** Absolute path; the folder exists and is writable unless the command only reads. */
  readonly dataDir: string
  /** Arguments of the command. */
  readonly operands: readonly string[]
  /** Options of the command alone. */
  readonly options: Options
  /** Settings that are not defaults. */
  readonly given: ReadonlySet<keyof Settings>
}

/** Reads the settings of this process from flags, environment and `.env` of the working folder. */
export const readProcessSettings = (
  flags: ReadonlyMap<string, string> = new Map(),
  env: Environment = process.env,
) => readSettings({ flags, env, dotenv: readDotenv(), readSecretFile: (path) => readFileSync(path, 'utf8') })

function readDotenv(): Environment {
  try {
    // Editors of Windows begin a text with a mark.
    return parseEnv(readFileSync('.env', 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    // A folder of this name belongs to another program, often Python.
    if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return {}
    throw new CommandError(`.env cannot be read: ${messageOf(error)}`)
  }
}

/** What is given on the command line, besides settings. */
export interface Opening {
  readonly options?: Options
  readonly given?: ReadonlySet<keyof Settings>
  /** False: the network started last in this folder is meant, if there was one. */
  readonly networkGiven: boolean
  /** Whether the data folder is created if it is missing. */
  readonly creates: boolean
}

/** Opens the data folder and determines the network: given, started last in this folder, or the default. */
export function openContext(
  settings: Settings,
  operands: readonly string[],
  { networkGiven, creates, options = {}, given = new Set() }: Opening,
): Context {
  const dataDir = creates ? openDataDir(settings.dataDir) : resolve(settings.dataDir)
  const network = networkGiven ? settings.network : (readCurrentNetwork(dataDir) ?? settings.network)
  const chosen = chooseNetwork(network)
  return { settings: { ...settings, network }, network: chosen, dataDir, operands, options, given }
}
