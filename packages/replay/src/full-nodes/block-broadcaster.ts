import { serializeBoc } from '@shardwalk/cells'
import { sleep } from '@shardwalk/concurrency'
import { toContainer } from '@shardwalk/full-node'
import { type BlockId, MASTERCHAIN } from '@shardwalk/model'
import { broadcastMessages } from '@shardwalk/overlay'
import type { JoinedOverlay, OverlayNode } from '@shardwalk/p2p'
import { type BlockSignatures, decodeBlockSignatures, type RecordedBlock } from '@shardwalk/sources'
import { decodeCandidateHashData, encodeUnion, type TonNodeBroadcast, tonNodeBroadcast } from '@shardwalk/tl'
import type { ReplayChain } from '../chain.ts'
import { recordedMessages } from '../recorded-messages.ts'

/** Datagrams sent at a time: a receiver with a small buffer loses what comes in larger bursts. */
const BURST = 32
const BETWEEN_MS = 3
/** A head that jumps farther is not broadcast: followers request the blocks. */
const MAX_STEP = 8

/**
 * Broadcasts the blocks of a recorded chain to the peers of a node as its head moves, and after them the
 * external messages that the next ones receive.
 */
export class BlockBroadcaster {
  private last: number
  private readonly stopListening: () => void
  private readonly stopping = new AbortController()
  private sending: Promise<void> = Promise.resolve()

  constructor(
    private readonly chain: ReplayChain,
    private readonly node: OverlayNode,
    private readonly overlays: { readonly masterchain: JoinedOverlay; readonly basechain: JoinedOverlay },
    private readonly sendsFalseData: boolean,
  ) {
    this.last = chain.headSeqno
    this.stopListening = chain.onHead(() => this.moved())
  }

  private moved(): void {
    const from = Math.max(this.last + 1, this.chain.headSeqno - MAX_STEP)
    this.last = Math.max(this.last, this.chain.headSeqno)
    for (let seqno = from; seqno <= this.last; seqno++) {
      const step = this.chain.recording.step(seqno)
      for (const block of step ? [...step.shards, step.block] : []) this.queue(() => this.send(block))
    }
    this.queue(() => this.sendMessages(this.last + 1))
  }

  private queue(send: () => Promise<void>): void {
    this.sending = this.sending.then(send).catch(() => {})
  }

  /** External messages that a block receives. */
  async sendMessages(seqno: number): Promise<void> {
    for (const cell of await recordedMessages(this.chain.recording, seqno)) {
      const message = { data: serializeBoc(cell) }
      const payload = encodeUnion(tonNodeBroadcast, { kind: 'tonNode.externalMessageBroadcast', message })
      await this.broadcast(this.overlays.basechain, payload)
    }
  }

  private async send(block: RecordedBlock): Promise<void> {
    const isMasterchain = block.id.workchain === MASTERCHAIN
    const overlay = isMasterchain ? this.overlays.masterchain : this.overlays.basechain
    const payload = await this.payloadOf(block)
    if (payload) await this.broadcast(overlay, payload)
  }

  private async broadcast(overlay: JoinedOverlay, payload: Buffer): Promise<void> {
    if (overlay.peers.size === 0 || this.stopping.signal.aborted) return
    if (this.sendsFalseData) payload[payload.length >> 1]! ^= 1
    const { key, clock } = this.node.udp
    let sent = 0
    for (const message of broadcastMessages(payload, { key, unixTime: clock.unixTime() })) {
      for (const { adnl } of overlay.peers.values()) this.node.send(overlay, adnl, message)
      if (++sent % BURST === 0) await sleep(BETWEEN_MS, this.stopping.signal)
    }
  }

  /** Undefined for a masterchain block whose signatures are not known. */
  private async payloadOf({ id, ...place }: RecordedBlock): Promise<Buffer | undefined> {
    const { recording } = this.chain
    const proof = await recording.proof(id)
    const set = proof && decodeBlockSignatures(proof)
    if (id.workchain === MASTERCHAIN && !set) return undefined
    const data = await recording.read({ id, ...place })
    return encodeUnion(tonNodeBroadcast, broadcastOf({ id, proof: proof ?? Buffer.alloc(0), data, set }))
  }

  async close(): Promise<void> {
    this.stopListening()
    this.stopping.abort()
    await this.sending
  }
}

interface Sent {
  readonly id: BlockId
  readonly proof: Buffer
  readonly data: Buffer
  readonly set: BlockSignatures | undefined
}

/** In the form in which nodes send blocks with such signatures. */
function broadcastOf({ id, proof, data, set }: Sent): TonNodeBroadcast {
  const signatures = (set?.signatures ?? []).map(({ nodeIdShort: who, signature }) => ({ who, signature }))
  if (set?.kind !== 'liteServer.signatureSet.simplex') {
    const { catchainSeqno = 0, validatorSetHash = 0 } = set ?? {}
    return { kind: 'tonNode.blockBroadcast', id, catchainSeqno, validatorSetHash, signatures, proof, data }
  }
  const { ccSeqno, validatorSetHash, sessionId, slot } = set
  const candidate = decodeCandidateHashData(set.candidate)
  const round = { final: true, ccSeqno, validatorSetHash, sessionId, slot, candidate }
  return {
    kind: 'tonNode.blockBroadcastCompressedV2',
    ...{ id, flags: 0, proof, dataCompressed: toContainer(data) },
    signatureSet: { kind: 'tonNode.signatureSet.simplex', ...round, signatures },
  }
}
