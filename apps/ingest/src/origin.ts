import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseBoc } from '@shardwalk/cells'
import { liteServerStates, type StateSource } from '@shardwalk/contract-indexer'
import { CheckedPool } from '@shardwalk/liteserver'
import { type BlockId, IndexerError, masterchainId } from '@shardwalk/model'
import type { Logger, Metrics } from '@shardwalk/observability'
import type { BlockSource } from '@shardwalk/pipeline'
import { ArchiveSource, LiteserverSource, readMaybeGzipped } from '@shardwalk/sources'
import type { ChainOrigin, IngestConfig } from './config.ts'

/** A chain that is ready to be indexed. */
export interface OpenOrigin {
  readonly source: BlockSource
  /** First masterchain block to index. */
  readonly start: IngestConfig['start']
  /**
   * Queries that only servers can answer. Absent for files: what blocks do not contain remains unknown then,
   * and signatures are not checked.
   */
  readonly chain?: {
    readonly pool: CheckedPool
    readonly states: StateSource
    /** Trusted blocks of the global config, from which signatures are followed. */
    readonly anchors: readonly BlockId[]
    readonly evidence: () => Readonly<Record<string, unknown>>
  }
}

/** The packages contain no masterchain blocks, or do not identify their network. */
export class ArchiveNotUsable extends IndexerError {
  readonly code = 'archive_not_usable'
  readonly retry = 'never'
}

/** Opens the servers or the files that hold the chain. Throws `ArchiveNotUsable`. */
export async function openOrigin(
  { origin, start }: Pick<IngestConfig, 'origin' | 'start'>,
  around: { readonly metrics: Metrics; readonly log: Logger },
): Promise<OpenOrigin> {
  if (origin.kind === 'archive') {
    const source = await openArchive(origin.folder)
    return { source, start: start === 'genesis' ? firstOfArchive(source.masterchainSeqnos()) : start }
  }
  return { start, ...openServers(origin, around) }
}

function openServers(
  { network: { config, servers } }: Extract<ChainOrigin, { kind: 'liteservers' }>,
  around: { readonly metrics: Metrics; readonly log: Logger },
): Required<Omit<OpenOrigin, 'start'>> {
  const { zeroState, initBlock, hardForks } = config
  const pool = new CheckedPool({ servers, zeroState, ...around })
  return {
    source: new LiteserverSource(pool, { zerostateId: zeroState }),
    chain: {
      pool,
      states: liteServerStates(pool),
      anchors: [zeroState, initBlock, ...hardForks].filter((id) => id !== undefined),
      evidence: () => ({ servers: pool.servers() }),
    },
  }
}

/** Opens packages of a node's archive. Zerostates are also searched for in the folder above. */
export async function openArchive(folder: string): Promise<ArchiveSource> {
  const zerostateFolders = [join(folder, '..')]
  const source = await ArchiveSource.open({ folder, zerostateFolders })
  const seqnos = source.masterchainSeqnos()
  if (seqnos.length === 0) throw new ArchiveNotUsable(`no .pack file in ${folder} holds a masterchain block`)
  if (seqnos[0] === 1) return source
  const zerostateId = await findZerostateId([folder, ...zerostateFolders])
  await source.close()
  if (!zerostateId)
    throw new ArchiveNotUsable(
      `masterchain block 1 is not in ${folder}: put the file zerostate_-1.boc of the network beside the ` +
        'packages, it tells which network they are of',
    )
  return ArchiveSource.open({ folder, zerostateFolders, zerostateId })
}

async function findZerostateId(folders: readonly string[]): Promise<BlockId | undefined> {
  for (const folder of folders)
    for (const name of await readdir(folder)) {
      if (!name.startsWith('zerostate_-1')) continue
      const bytes = await readMaybeGzipped(join(folder, name.replace(/\.gz$/, '')))
      if (!bytes) continue
      const bag = parseBoc(bytes)
      return { ...masterchainId(0), rootHash: bag.hash(bag.root), fileHash: hash('sha256', bytes, 'buffer') }
    }
  return undefined
}

/**
 * First block that can be indexed. Part of an archive is a contiguous run of blocks, preceded by older key
 * blocks; the first block of the run only provides the positions of the shards.
 */
export function firstOfArchive(ascending: readonly number[]): number {
  let first = ascending.length - 1
  while (first > 0 && ascending[first - 1] === ascending[first]! - 1) first--
  return ascending[first] === 1 ? 1 : ascending[first]! + 1
}
