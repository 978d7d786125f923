import type { DhtLookup } from '@shardwalk/dht'
import type { FullNodeClient, FullNodeNetwork } from '@shardwalk/p2p'
import type { ArchiveSlices } from './archive-slices.ts'
import type { FollowedHead } from './followed-head.ts'

/** Receives durations to be measured. */
export interface FullNodeObserver {
  /** A look-up in the hash table has ended. */
  onLookup(lookup: DhtLookup): void
  /** A new masterchain block has arrived. Its age in seconds is that of its header's time. */
  onNewBlock(how: 'broadcast' | 'asked', ageSeconds: number): void
}

export interface Reported {
  readonly network: FullNodeNetwork
  readonly client: FullNodeClient
  readonly following: FollowedHead
  readonly archives: ArchiveSlices
  /** Datagrams that the kernel dropped; undefined if unknown. */
  readonly kernelDrops: number | undefined
}

/** State of the connection to full nodes, for operators. Counts are since the start. */
export function fullNodeReport({ network, client, following, archives, kernelDrops }: Reported) {
  const { masterchain, basechain, dht, node, traffic, clockOffset } = network
  const { udp } = node
  return {
    /** ADNL id of this process, hex. */
    id: udp.id.toString('hex'),
    peers: { masterchain: masterchain.states(), basechain: basechain.states() },
    /** Number of members that servers and peers have named. */
    members: { masterchain: masterchain.members.size, basechain: basechain.members.size },
    dhtServers: dht.serverCount,
    udp: { ...udp.counts, ...(kernelDrops !== undefined && { overrun: kernelDrops }) },
    /** Of datagrams. */
    bytes: { ...udp.bytes },
    /** How far the clocks of nodes are ahead of ours; undefined: unknown. */
    clockOffsetSeconds: clockOffset.seconds,
    transferBytesHeld: udp.memory.inUse,
    transfers: { ...udp.transferCounts },
    restored: { ...udp.restored },
    queries: client.queryCounts,
    broadcasts: { masterchain: masterchain.broadcasts.counts, basechain: basechain.broadcasts.counts },
    head: following.counts,
    archives: { ...archives.counts, bytes: traffic.total },
    /** Archive files with wrong content, by code of the error. */
    archivesRefused: Object.fromEntries(archives.refusals),
    archiveAnswers: { ...client.archiveAnswers },
  }
}

/** What `full_node_reports` and the metrics are made of. */
export type FullNodeReport = ReturnType<typeof fullNodeReport>
