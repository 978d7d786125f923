import { join } from 'node:path'
import type { ProofPool } from '@shardwalk/chain-prover'
import { liteServerStates, type StateSource } from '@shardwalk/contract-indexer'
import { type DhtConfig, readDhtConfig } from '@shardwalk/dht'
import { CheckedPool, type NetworkConfig, trustedBlocks } from '@shardwalk/liteserver'
import { type BlockId, IndexerError } from '@shardwalk/model'
import type { Logger, Metrics } from '@shardwalk/observability'
import { BlockNotAvailable, type BlockSource } from '@shardwalk/pipeline'
import { ArchiveSource, FallbackSource, FullNodeSource, LiteserverSource } from '@shardwalk/sources'
import type { ChainOrigin, FullNodeChoice, IngestConfig } from './config.ts'
import { firstSourceCounter, fullNodeMetrics, fullNodeObserver } from './full-node-metrics.ts'

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
    /** Lite servers; undefined if blocks come from full nodes alone. */
    readonly pool: CheckedPool | undefined
    readonly proofs: ProofPool
    readonly states: StateSource | undefined
    /** Trusted blocks of the global config, from which signatures are followed. */
    readonly anchors: readonly BlockId[]
    readonly evidence: () => Readonly<Record<string, unknown>>
    /** Undefined if blocks come from lite servers alone. */
    readonly fullNodes?: FullNodeSource | undefined
  }
}

/** The packages contain no masterchain blocks, or do not identify their network. */
export class ArchiveNotUsable extends IndexerError {
  readonly code = 'archive_not_usable'
  readonly retry = 'never'
}

/** Full nodes are asked for, but nothing says where they are. */
export class FullNodesNotUsable extends IndexerError {
  readonly code = 'full_nodes_not_usable'
  readonly retry = 'never'
}

/** Opens the servers or the files that hold the chain. Throws `ArchiveNotUsable`, `FullNodesNotUsable`. */
export async function openOrigin(
  { origin, start }: Pick<IngestConfig, 'origin' | 'start'>,
  around: Around,
): Promise<OpenOrigin> {
  if (origin.kind === 'archive') {
    const source = await openArchive(origin.folder)
    return { source, start: start === 'genesis' ? firstOfArchive(source.masterchainSeqnos()) : start }
  }
  const { fullNodes } = origin
  if (!fullNodes) return { start, ...openServers(origin, around) }
  const servers = fullNodes.hasFallback ? openServers(origin, around) : undefined
  const entry = entryToFullNodes(origin.network.config)
  if (!entry && servers) {
    around.log.warn('lite servers alone are used', { reason: NO_ENTRY })
    return { start, ...servers }
  }
  if (!entry) throw new FullNodesNotUsable(`SOURCE: ${NO_ENTRY}`)
  const found = await openFullNodes(origin, { ...fullNodes, ...entry }, around)
  if (!servers) return { start, ...found }
  const evidence = () => ({ ...found.chain.evidence(), ...servers.chain.evidence() })
  return {
    start,
    source: new FallbackSource(found.source, servers.source, firstSourceCounter(around.metrics)),
    chain: { ...servers.chain, evidence, fullNodes: found.chain.fullNodes },
  }
}

type Opened = Required<Omit<OpenOrigin, 'start'>>
type Live = Extract<ChainOrigin, { kind: 'liteservers' }>
interface Around {
  readonly metrics: Metrics
  readonly log: Logger
  /** Takes external messages that full nodes pass on. Default: they are not used. */
  readonly onMessage?: ((boc: Buffer) => void) | undefined
}

function openServers({ network: { config, servers } }: Live, around: Around): Opened {
  const pool = new CheckedPool({ servers, zeroState: config.zeroState, ...around })
  return {
    source: new LiteserverSource(pool, { zerostateId: config.zeroState }),
    chain: {
      pool,
      proofs: pool,
      states: liteServerStates(pool),
      anchors: trustedBlocks(config),
      evidence: () => ({ servers: pool.servers() }),
    },
  }
}

const NO_ENTRY = 'the global config of the network names no zerostate or no DHT servers'

/** What finding full nodes begins with. */
interface EntryToFullNodes {
  readonly dht: DhtConfig
  readonly zerostateId: BlockId
}

function entryToFullNodes(config: NetworkConfig): EntryToFullNodes | undefined {
  const dht = readDhtConfig(config)
  const { zeroState } = config
  return dht && zeroState && { dht, zerostateId: zeroState }
}

async function openFullNodes(
  { network: { config } }: Live,
  choice: FullNodeChoice & EntryToFullNodes,
  { metrics, log, onMessage }: Around,
): Promise<Opened> {
  const { dht, zerostateId, port, wantedPeers, downloadLimit, bookFile, keyFile } = choice
  if (dht.leftOut) log.warn('servers of the hash table are left out', { reason: dht.leftOut.join('; ') })
  const anchors = trustedBlocks(config)
  const source = await FullNodeSource.open({
    dht,
    zerostateId,
    log,
    port,
    wantedPeers,
    downloadLimit,
    bookFile,
    keyFile,
    onMessage,
    anchors: anchors.filter(({ seqno }) => seqno > 0),
    observer: fullNodeObserver(metrics),
  })
  fullNodeMetrics(metrics, source)
  return {
    source,
    chain: {
      pool: undefined,
      proofs: source.proofs,
      states: undefined,
      anchors,
      evidence: () => ({ fullNodes: source.report() }),
      fullNodes: source,
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
  try {
    await source.zerostateId()
    return source
  } catch (error) {
    await source.close()
    if (!(error instanceof BlockNotAvailable)) throw error
    throw new ArchiveNotUsable(
      `masterchain block 1 is not in ${folder}: put the file zerostate_-1.boc of the network beside the ` +
        'packages, it says which network they are of',
    )
  }
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
