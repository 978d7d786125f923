import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseGlobalConfig } from '@shardwalk/liteserver'
import {
  chooseNetwork,
  configPathOf,
  isFiles,
  NetworkNotUsable,
  type ResolvedNetwork,
  resolveNetwork,
  writeConfig,
} from '@shardwalk/networks'
import { startReplay } from '@shardwalk/replay'
import type { Settings } from '@shardwalk/settings'
import { Recording } from '@shardwalk/sources'
import type { Context } from './context.ts'
import { acceptsConnection, ownServers, reachNetwork } from './reach.ts'

/** A chain that child processes can read; `name` is the value of `NETWORK` for them. */
export interface OpenChain {
  readonly name: string
  /** Stops what was started for it. */
  close(): Promise<void>
}

/** Opens a chain: recorded ones are served by the running `start` or, failing that, by this process. */
export async function openChain(context: Context): Promise<OpenChain> {
  const { network, settings } = context
  if (network.kind === 'archive') return inPlace(network.folder)
  if (network.kind !== 'recording') {
    await reachNetwork(context)
    return inPlace(settings.network)
  }
  const served = replayConfigPath(context)
  if (await isServed(served)) return inPlace(served)
  const replay = await startReplay({ recording: network.folder, speed: settings.replaySpeed || undefined })
  // Not in the data folder, which commands that only read leave alone.
  const folder = mkdtempSync(join(tmpdir(), 'shardwalk-replay-'))
  return {
    name: await writeConfig(network.slug, folder, replay.globalConfig),
    close: async () => {
      await replay.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * First masterchain block to index if `INDEX_FROM` is not set. In files it is the first block whose
 * predecessor is present, which has the previous shard tops; on live networks it is the head, because few
 * servers have all blocks.
 */
export async function startPoint({
  settings,
  network,
}: Context): Promise<NonNullable<Settings['indexFrom']>> {
  const wanted = settings.indexFrom ?? (isFiles(network) ? 'genesis' : 'head')
  if (network.kind !== 'recording' || wanted !== 'genesis') return wanted
  const { first } = await Recording.open(network.folder)
  return first === 1 ? 'genesis' : first + 1
}

/** Config and servers of an open chain, unless it is an archive. */
export function resolveChain({ settings, dataDir }: Context, { name }: OpenChain): Promise<ResolvedNetwork> {
  const choice = chooseNetwork(name)
  if (isFiles(choice)) throw new NetworkNotUsable(`${name} has no lite servers`)
  return resolveNetwork(choice, { dataDir, own: ownServers(settings) })
}

/** Global config of the lite server that a running `start` has for a recorded chain; it may not exist yet. */
export const replayConfigPath = ({ network, dataDir }: Pick<Context, 'network' | 'dataDir'>): string =>
  configPathOf(`${network.slug}_replay`, dataDir)

const inPlace = (name: string): OpenChain => ({ name, close: async () => {} })

async function isServed(configPath: string): Promise<boolean> {
  if (!existsSync(configPath)) return false
  const { liteServers } = parseGlobalConfig(readFileSync(configPath, 'utf8'))
  return (await Promise.all(liteServers.map(acceptsConnection))).includes(true)
}
