import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { chooseNetwork, type NetworkChoice } from '@shardwalk/networks'
import { type Environment, readSettings, type Settings } from '@shardwalk/settings'
import { openDataDir, readCurrentNetwork } from './data-dir.ts'

/** Input of every command. */
export interface Context {
  readonly settings: Settings
  readonly network: NetworkChoice
  /** Absolute path of an existing, writable folder. */
  readonly dataDir: string
  /** Arguments of the command. */
  readonly operands: readonly string[]
}

/** Reads the settings of this process from flags, environment and `.env` of the working folder. */
export const readProcessSettings = (argv: readonly string[], env: Environment = process.env) =>
  readSettings({ argv, env, dotenv: readDotenv(), readSecretFile: (path) => readFileSync(path, 'utf8') })

function readDotenv(): Environment {
  try {
    return parseEnv(readFileSync('.env', 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** Opens the data folder and determines the network: given, started last in this folder, or the default. */
export function openContext(settings: Settings, operands: readonly string[], networkGiven: boolean): Context {
  const dataDir = openDataDir(settings.dataDir)
  const network = networkGiven ? settings.network : (readCurrentNetwork(dataDir) ?? settings.network)
  return { settings: { ...settings, network }, network: chooseNetwork(network), dataDir, operands }
}
