import { DecodeError } from '@shardwalk/model'
import { NoPeerAnswered } from './errors.ts'
import type { FullNodeNetwork } from './full-node-network.ts'
import type { FullNodePeer } from './full-node-peer.ts'
import type { Manner, PeerQueries } from './peer-queries.ts'

const SLICE: Manner = {
  kind: 'archive',
  timeoutMs: 20_000,
  hedgeMs: 5_000,
  peers: 1,
  maxAnswerSize: 2 << 20,
}
/** Bytes of a slice, and most bytes of a file. */
const SLICE_SIZE = 2 << 20
const MAX_ARCHIVE = 512 << 20
/** Slices asked of a peer at a time. */
const SLICES_AHEAD = 2
/** After so many bytes, a node below this share of the usual rate is given up. */
const MEASURED_BYTES = 4 << 20
const LEAST_SHARE = 1 / 8
/** Not again within this time: the node may be the only one that has old archives. */
const GIVEN_UP_MS = 600_000

/** Downloads archive files from nodes that have them, each from one node, and gives up slow ones. */
export class ArchiveDownloads {
  /** Bytes per second, mean of complete archives; 0 before the first. */
  private archiveRate = 0
  /** Nodes that were given up, with the time. */
  private readonly slow = new WeakMap<FullNodePeer, number>()

  constructor(
    private readonly network: FullNodeNetwork,
    private readonly queries: PeerQueries,
  ) {}

  /**
   * An archive file in pieces, in order. Throws `NoPeerAnswered` if the node stops answering or is slow; the
   * download must then begin again with another node.
   */
  async *pieces(peer: FullNodePeer, archiveId: bigint): AsyncGenerator<Buffer> {
    const over = new AbortController()
    try {
      yield* this.piecesUntil(over.signal, peer, archiveId)
    } finally {
      // What was requested ahead is beyond the end, where nodes do not answer, or no longer needed.
      over.abort(new NoPeerAnswered(`nothing more of archive ${archiveId} is needed`))
    }
  }

  private async *piecesUntil(
    over: AbortSignal,
    peer: FullNodePeer,
    archiveId: bigint,
  ): AsyncGenerator<Buffer> {
    const ahead: Promise<Buffer>[] = []
    const askNext = (offset: number) => {
      const asked = this.archiveSlice(peer, archiveId, offset, over)
      // It is awaited later, or not at all after the end.
      asked.catch(() => {})
      ahead.push(asked)
    }
    const { clock } = this.network.node.udp
    const startedAt = clock.now()
    const rateOf = (bytes: number) => (bytes * 1_000) / Math.max(1, clock.now() - startedAt)
    for (let i = 0; i < SLICES_AHEAD; i++) askNext(i * SLICE_SIZE)
    for (let offset = 0; offset < MAX_ARCHIVE; offset += SLICE_SIZE) {
      const piece = await ahead.shift()!.catch((error) => {
        throw new NoPeerAnswered(`archive ${archiveId} breaks off at ${offset}`, { cause: error })
      })
      this.network.traffic.received(piece.length)
      if (piece.length > 0) yield piece
      const received = offset + piece.length
      if (piece.length < SLICE_SIZE) {
        const rate = rateOf(received)
        this.archiveRate += (rate - this.archiveRate) / (this.archiveRate === 0 ? 1 : 8)
        return
      }
      if (received >= MEASURED_BYTES && rateOf(received) < this.archiveRate * LEAST_SHARE)
        this.giveUpSlow(peer, archiveId)
      await this.network.traffic.rest()
      askNext(offset + SLICES_AHEAD * SLICE_SIZE)
    }
    throw new DecodeError('tonNode.getArchiveSlice', `the archive has more than ${MAX_ARCHIVE} bytes`)
  }

  private giveUpSlow(peer: FullNodePeer, archiveId: bigint): void {
    const now = this.network.node.udp.clock.now()
    if (now - (this.slow.get(peer) ?? Number.NEGATIVE_INFINITY) < GIVEN_UP_MS) return
    this.slow.set(peer, now)
    throw new NoPeerAnswered(`archive ${archiveId} comes too slowly`)
  }

  /** Asked twice, because an archive can only be continued with the node that has begun it. */
  private async archiveSlice(
    peer: FullNodePeer,
    archiveId: bigint,
    offset: number,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const query = {
      kind: 'tonNode.getArchiveSlice',
      archiveId,
      offset: BigInt(offset),
      maxSize: SLICE_SIZE,
    } as const
    const question = { overlay: this.network.masterchain, query, manner: SLICE }
    const ask = () => this.queries.one(peer, question, { signal })
    return ask().catch((error) => {
      if (signal.aborted) throw error
      return ask()
    })
  }
}
