import { existsSync, readFileSync } from 'node:fs'
import { type NetworkConfig, parseGlobalConfig } from '@shardwalk/liteserver'
import { bundledConfig } from './bundled.ts'
import type { LiveNetwork } from './choose-network.ts'
import { readCachedConfig, writeConfig } from './config-cache.ts'
import { NetworkNotUsable, NetworkUnreachable } from './errors.ts'

/** Where a config was found. */
export type ConfigOrigin = 'file' | 'published' | 'cached' | 'bundled'

export interface FoundConfig {
  readonly config: NetworkConfig
  readonly origin: ConfigOrigin
  /** Why it is not the published config, or what of it is left out. */
  readonly warning?: string
}

export interface FindConfigOptions {
  /** Folder of the cache. */
  readonly dataDir: string
  /** A younger cached copy is used without a download; 0 always downloads. Milliseconds. */
  readonly freshMs?: number
  /** Downloads a text; the default gives up after 10 s. */
  readonly fetchText?: (url: string) => Promise<string>
  /** Whether a config without lite servers is of no use. Default: it is. */
  readonly needsServers?: boolean
}

/** A process started by another one uses what that one has just downloaded. Milliseconds. */
const FRESH_MS = 60_000
const FETCH_MS = 10_000

/**
 * The global config of a network: published, or else cached, or else bundled. Throws `NetworkUnreachable` if
 * there is none, and `NetworkNotUsable` for a file that is not a global config.
 */
export async function findConfig(choice: LiveNetwork, options: FindConfigOptions): Promise<FoundConfig> {
  const { dataDir, freshMs = FRESH_MS, fetchText = fetchWithDeadline, needsServers = true } = options
  const parse = (text: string, origin: string) => parseConfig(text, origin, needsServers)
  if (choice.kind === 'file')
    return foundConfig(parse(readFileSync(choice.path, 'utf8'), choice.path), 'file')
  const cached = readCachedConfig(choice.slug, dataDir)
  const copy = cached && unlessWrong(() => parse(cached.text, choice.url))
  if (cached && copy && cached.ageMs >= 0 && cached.ageMs < freshMs) return foundConfig(copy, 'cached')
  try {
    const text = await fetchText(choice.url)
    const config = parse(text, choice.url)
    await cache(choice.slug, dataDir, text)
    return foundConfig(config, 'published')
  } catch (error) {
    const problem = `${choice.url} could not be read (${causeOf(error)})`
    if (copy)
      return { config: copy, origin: 'cached', warning: `${problem}; the copy from the last start is used` }
    const bundled = bundledConfig(choice.slug)
    if (!bundled) throw new NetworkUnreachable(choice.slug, problem, { cause: error })
    return {
      config: parse(bundled.text, 'the bundled config'),
      origin: 'bundled',
      warning: `${problem}; the bundled config of ${bundled.date} is used, whose lite servers may be gone`,
    }
  }
}

const foundConfig = (config: NetworkConfig, origin: ConfigOrigin): FoundConfig => ({
  config,
  origin,
  ...(config.leftOut && { warning: `lite servers are left out: ${config.leftOut.join('; ')}` }),
})

/**
 * Without a cache the next start has to download again, which is no reason to fail or to create the folder.
 */
async function cache(slug: string, dataDir: string, text: string): Promise<void> {
  if (!existsSync(dataDir)) return
  try {
    await writeConfig(slug, dataDir, text)
  } catch {
    // The folder is not writable.
  }
}

async function fetchWithDeadline(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS), redirect: 'follow' })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return response.text()
}

function parseConfig(text: string, origin: string, needsServers: boolean): NetworkConfig {
  let config: NetworkConfig
  try {
    config = parseGlobalConfig(text)
  } catch (error) {
    throw new NetworkNotUsable(`${origin} is not a global config: ${causeOf(error)}`, { cause: error })
  }
  if (config.liteServers.length === 0 && (needsServers || !config.zeroState))
    throw new NetworkNotUsable(`${origin} is not a global config: it lists no liteservers`)
  return config
}

function unlessWrong<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** `fetch` hides the reason in the cause of its error. */
function causeOf(error: unknown): string {
  const { message, cause } = error as Error
  const inner = cause instanceof Error && cause.message !== '' ? cause.message : undefined
  return inner !== undefined && !message.includes(inner) ? `${message}: ${inner}` : message
}
