import { existsSync, readFileSync, rmSync } from 'node:fs'
import { parseGlobalConfig } from '@shardwalk/liteserver'
import { startReplay } from '@shardwalk/replay'
import type { Settings } from '@shardwalk/settings'
import { Recording } from '@shardwalk/sources'
import type { Context } from './context.ts'
import { configPathOf, isFiles, writeConfig } from './network.ts'
import { acceptsConnection, reachNetwork } from './reach.ts'

/** A chain that child processes can read; `path` is the value of `NETWORK` for them. */
export interface OpenChain {
  readonly path: string
  /** Stops what was started for it. */
  close(): Promise<void>
}

/** Opens a chain: recorded ones are served by the running `start` or, failing that, by this process. */
export async function openChain(context: Context): Promise<OpenChain> {
  const { network, dataDir, settings } = context
  if (network.kind === 'archive') return inPlace(network.folder)
  if (network.kind !== 'recording') return inPlace((await reachNetwork(context)).configPath)
  const served = configPathOf(`${network.slug}_replay`, dataDir)
  if (await isServed(served)) return inPlace(served)
  const replay = await startReplay({ recording: network.folder, speed: settings.replaySpeed || undefined })
  const path = writeConfig(`${network.slug}_${process.pid}`, dataDir, replay.globalConfig)
  return {
    path,
    close: async () => {
      await replay.close()
      rmSync(path, { force: true })
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

const inPlace = (path: string): OpenChain => ({ path, close: async () => {} })

async function isServed(configPath: string): Promise<boolean> {
  if (!existsSync(configPath)) return false
  const { liteServers } = parseGlobalConfig(readFileSync(configPath, 'utf8'))
  return (await Promise.all(liteServers.map(acceptsConnection))).includes(true)
}
