import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EXIT } from '@shardwalk/observability'
import { CommandError, messageOf } from './outcome.ts'

/** Locations of the public global configs. */
const PUBLIC_CONFIGS: Readonly<Record<string, string>> = {
  mainnet: 'https://ton.org/global.config.json',
  testnet: 'https://ton.org/testnet-global.config.json',
}

const SAMPLE_FOLDER = fileURLToPath(new URL('../../../fixtures/chain', import.meta.url))

/** The choice made by `--network`. `slug` is unique per network and usable in file and database names. */
export type NetworkChoice =
  | { readonly kind: 'recording'; readonly slug: string; readonly folder: string }
  /** `.pack` files of a node. */
  | { readonly kind: 'archive'; readonly slug: string; readonly folder: string }
  | { readonly kind: 'url'; readonly slug: string; readonly url: string }
  | { readonly kind: 'file'; readonly slug: string; readonly path: string }

/** A network with its own lite servers. */
export type LiveNetwork = Extract<NetworkChoice, { kind: 'url' | 'file' }>

/** Whether the chain is in files: all blocks from the first on are present, and the chain ends. */
export const isFiles = (choice: NetworkChoice): choice is Exclude<NetworkChoice, LiveNetwork> =>
  choice.kind === 'recording' || choice.kind === 'archive'

/** Parses the setting `NETWORK`. Throws `CommandError` if it is not valid. */
export function chooseNetwork(network: string): NetworkChoice {
  const published = PUBLIC_CONFIGS[network]
  if (network === 'sample') return { kind: 'recording', slug: 'sample', folder: SAMPLE_FOLDER }
  if (published) return { kind: 'url', slug: network, url: published }
  if (/^https?:\/\//.test(network)) return { kind: 'url', slug: slugOf(network), url: network }
  if (existsSync(network)) {
    const path = resolve(network)
    const slug = slugOf(path)
    return statSync(path).isDirectory()
      ? { kind: kindOfFolder(path), slug, folder: path }
      : { kind: 'file', slug, path }
  }
  throw new CommandError(
    `NETWORK: "${network}" is not mainnet, testnet or sample, a URL, or an existing file or folder.`,
  )
}

function kindOfFolder(folder: string): 'recording' | 'archive' {
  if (['index.json', 'index.json.gz'].some((name) => existsSync(join(folder, name)))) return 'recording'
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  if (files.some((name) => /\.pack(\.gz)?$/.test(name))) return 'archive'
  throw new CommandError(
    `NETWORK: ${folder} contains neither a recorded chain (index.json) nor .pack files of a node.`,
  )
}

/** `<readable part>_<8 hex digits of the full name>`. */
function slugOf(name: string): string {
  const readable = basename(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 24)
  return `${readable}_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
}

/** A validated global config in a file. */
export interface ConfigFile {
  readonly path: string
  /** Set if a cached copy is used because the config could not be fetched. */
  readonly warning?: string
}

/** The network could not be reached; the message has the cause and what works without a network. */
export class NetworkUnreachable extends CommandError {
  constructor(network: string, problem: string) {
    super(
      [
        `Cannot reach the network ${network}: ${problem}.`,
        'Check the connection, or try Shardwalk without a network on a recorded chain:',
        '',
        '    npm start -- --network sample',
      ].join('\n'),
      EXIT.tryAgain,
    )
  }
}

/**
 * Fetches the global config of a live network and stores it in `<dataDir>/networks`. If it cannot be fetched,
 * the last stored copy is used. Throws `NetworkUnreachable` if there is none.
 */
export async function fetchConfig(
  choice: LiveNetwork,
  dataDir: string,
  fetchText: (url: string) => Promise<string> = fetchWithin10s,
): Promise<ConfigFile> {
  if (choice.kind === 'file') {
    checkConfig(readFileSync(choice.path, 'utf8'), choice.path)
    return { path: choice.path }
  }
  const path = configPathOf(choice.slug, dataDir)
  try {
    const text = await fetchText(choice.url)
    checkConfig(text, choice.url)
    writeConfig(choice.slug, dataDir, text)
    return { path }
  } catch (error) {
    const problem = `${choice.url} could not be read (${messageOf(error)})`
    if (existsSync(path)) return { path, warning: `${problem}; the copy from the last start is used` }
    throw new NetworkUnreachable(choice.slug, problem)
  }
}

/** Path of the stored global config of a network. */
export const configPathOf = (slug: string, dataDir: string): string =>
  join(dataDir, 'networks', `${slug}.json`)

/** Path of the global config of a running network, whether or not it exists yet. An archive has none. */
export const liveConfigPath = (choice: NetworkChoice, dataDir: string): string =>
  choice.kind === 'file'
    ? choice.path
    : configPathOf(choice.kind === 'recording' ? `${choice.slug}_replay` : choice.slug, dataDir)

/** Stores a global config where `fetchConfig` looks for it; returns its path. */
export function writeConfig(slug: string, dataDir: string, text: string): string {
  mkdirSync(join(dataDir, 'networks'), { recursive: true })
  writeFileSync(configPathOf(slug, dataDir), text)
  return configPathOf(slug, dataDir)
}

async function fetchWithin10s(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000), redirect: 'follow' })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return response.text()
}

function checkConfig(text: string, origin: string): void {
  let servers: unknown
  try {
    const config = JSON.parse(text) as { liteservers?: unknown }
    servers = config.liteservers
  } catch (error) {
    throw new CommandError(`${origin} is not JSON: ${messageOf(error)}`)
  }
  if (!Array.isArray(servers) || servers.length === 0)
    throw new CommandError(`${origin} is not a global config: it lists no liteservers`)
}
