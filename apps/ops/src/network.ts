import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EXIT } from '@shardwalk/observability'
import { CommandError, messageOf } from './outcome.ts'

/** Where the public global configs are published. */
const PUBLIC_CONFIGS: Readonly<Record<string, string>> = {
  mainnet: 'https://ton.org/global.config.json',
  testnet: 'https://ton.org/testnet-global.config.json',
}

const SAMPLE_FOLDER = fileURLToPath(new URL('../../../fixtures/chain', import.meta.url))

/** What `--network` names. `slug` is fit for file and database names and differs for different networks. */
export type NetworkChoice =
  | { readonly kind: 'recording'; readonly slug: string; readonly folder: string }
  /** `.pack` files as a node keeps them. */
  | { readonly kind: 'archive'; readonly slug: string; readonly folder: string }
  | { readonly kind: 'url'; readonly slug: string; readonly url: string }
  | { readonly kind: 'file'; readonly slug: string; readonly path: string }

/** A network with lite servers of its own. */
export type LiveNetwork = Extract<NetworkChoice, { kind: 'url' | 'file' }>

/** Files: everything is there from the first block, and the chain ends. */
export const isFiles = (choice: NetworkChoice): choice is Exclude<NetworkChoice, LiveNetwork> =>
  choice.kind === 'recording' || choice.kind === 'archive'

/** Reads the setting `NETWORK`. Throws `CommandError` when it names nothing. */
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
    `NETWORK: "${network}" is neither mainnet, testnet or sample, nor a URL, nor an existing file or folder.`,
  )
}

function kindOfFolder(folder: string): 'recording' | 'archive' {
  if (['index.json', 'index.json.gz'].some((name) => existsSync(join(folder, name)))) return 'recording'
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  if (files.some((name) => /\.pack(\.gz)?$/.test(name))) return 'archive'
  throw new CommandError(
    `NETWORK: ${folder} holds neither a recorded chain (index.json) nor .pack files of a node.`,
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

/** A global config in a file, checked to be one. */
export interface ConfigFile {
  readonly path: string
  /** Set when a cached copy stands in for one that could not be fetched. */
  readonly warning?: string
}

/** The network could not be reached; the message says what failed and what works without a network. */
export class NetworkUnreachable extends CommandError {
  constructor(network: string, problem: string) {
    super(
      [
        `Cannot reach the network ${network}: ${problem}.`,
        'Check the connection, or try Shardwalk without any network on a recorded real chain:',
        '',
        '    npm start -- --network sample',
      ].join('\n'),
      EXIT.tryAgain,
    )
  }
}

/**
 * Global config of a live network as a file: fetched and kept in `<dataDir>/networks`, where the last good copy stands in
 * when it cannot be fetched. Throws `NetworkUnreachable` when there is neither.
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
    if (existsSync(path)) return { path, warning: `${problem}; the copy of the last start is used` }
    throw new NetworkUnreachable(choice.slug, problem)
  }
}

/** Where the global config of a network is kept. */
export const configPathOf = (slug: string, dataDir: string): string =>
  join(dataDir, 'networks', `${slug}.json`)

/** Where the global config of a running network is, or will be once it was fetched or a recorded chain is served; of an archive there is none. */
export const liveConfigPath = (choice: NetworkChoice, dataDir: string): string =>
  choice.kind === 'file'
    ? choice.path
    : configPathOf(choice.kind === 'recording' ? `${choice.slug}_replay` : choice.slug, dataDir)

/** Keeps a global config where `fetchConfig` looks for it; returns its path. */
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
