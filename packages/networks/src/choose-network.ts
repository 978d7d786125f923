import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NetworkNotUsable } from './errors.ts'

/** Locations of the public global configs. */
const PUBLIC_CONFIGS: Readonly<Record<string, string>> = {
  mainnet: 'https://ton.org/global.config.json',
  testnet: 'https://ton.org/testnet-global.config.json',
}

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

/** Parses the setting `NETWORK`. Throws `NetworkNotUsable` if it is not valid. */
export function chooseNetwork(network: string): NetworkChoice {
  const published = PUBLIC_CONFIGS[network]
  if (network === 'sample') return { kind: 'recording', slug: 'sample', folder: sampleFolder() }
  if (published) return { kind: 'url', slug: network, url: published }
  if (/^https?:\/\//.test(network)) return { kind: 'url', slug: slugOf(network), url: network }
  if (existsSync(network)) {
    const path = resolve(network)
    const slug = slugOf(path)
    return statSync(path).isDirectory()
      ? { kind: kindOfFolder(path), slug, folder: path }
      : { kind: 'file', slug, path }
  }
  throw new NetworkNotUsable(
    `NETWORK: "${network}" is not mainnet, testnet or sample, a URL, or an existing file or folder.`,
  )
}

/** Beside `packages` in the repository; the built program is one folder deeper. */
function sampleFolder(): string {
  const [source, built] = ['../../../', '../../../../'].map((root) =>
    fileURLToPath(new URL(`${root}fixtures/chain`, import.meta.url)),
  )
  return existsSync(source!) ? source! : built!
}

function kindOfFolder(folder: string): 'recording' | 'archive' {
  if (['index.json', 'index.json.gz'].some((name) => existsSync(join(folder, name)))) return 'recording'
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  if (files.some((name) => /\.pack(\.gz)?$/.test(name))) return 'archive'
  throw new NetworkNotUsable(
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
