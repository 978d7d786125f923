import { hash } from 'node:crypto'
import { type ReceivedBlock, readDataFull } from '@shardwalk/full-node'
import { type BlockId, DecodeError, formatBlockId, MASTERCHAIN } from '@shardwalk/model'
import { overlayQueryOf } from '@shardwalk/overlay'
import {
  decodeUnion,
  encodeUnion,
  type TonNodeAnswer,
  type TonNodeFunction,
  tonNodeAnswer,
  tonNodeFunction,
} from '@shardwalk/tl'
import { NoPeerAnswered } from './errors.ts'
import type { FullNodeNetwork } from './full-node-network.ts'
import type { FullNodePeer } from './full-node-peer.ts'
import type { JoinedOverlay } from './joined-overlay.ts'

/** How a kind of query is asked. Times in milliseconds, sizes in bytes. */
interface Manner {
  readonly timeoutMs: number
  /** Another peer is asked too after this. */
  readonly hedgeMs: number
  readonly peers: number
  /** Present: the answer may be long and is transferred; absent: it fits a few datagrams. */
  readonly maxAnswerSize?: number
}

const SMALL: Manner = { timeoutMs: 1_500, hedgeMs: 400, peers: 5 }
const BLOCK: Manner = { timeoutMs: 4_000, hedgeMs: 1_000, peers: 5, maxAnswerSize: 4 << 20 }
const NEXT_BLOCK: Manner = { ...BLOCK, timeoutMs: 2_000, hedgeMs: 300, peers: 3 }
const STATE: Manner = { timeoutMs: 20_000, hedgeMs: 5_000, peers: 5, maxAnswerSize: 16 << 20 }
const SLICE: Manner = { timeoutMs: 20_000, hedgeMs: 20_000, peers: 1, maxAnswerSize: 2 << 20 }
const SLICE_SIZE = 2 << 20
/** Slices asked of a peer at a time. */
const SLICES_AHEAD = 2
const MAX_ARCHIVE = 512 << 20

/** Asks full nodes. What they send is checked against the ids asked for; the ids are not proven. */
export class FullNodeClient {
  constructor(private readonly network: FullNodeNetwork) {}

  /** The block's file: SHA-256 is `id.fileHash`. Throws `NoPeerAnswered`. */
  block(id: BlockId): Promise<Buffer> {
    const query = { kind: 'tonNode.downloadBlock', block: id } as const
    return this.ask(this.overlayOf(id), query, BLOCK, (answer) => {
      if (sha256(answer).equals(id.fileHash)) return answer
      throw new DecodeError('tonNode.downloadBlock', `the answer is not ${formatBlockId(id)}`)
    })
  }

  /**
   * The masterchain block after `previous`, as a node says: compare what it refers to. Undefined if there is
   * none yet.
   */
  async nextBlock(previous: BlockId): Promise<ReceivedBlock | undefined> {
    const query = { kind: 'tonNode.downloadNextBlockFull', prevBlock: previous } as const
    const answer = await this.ask(this.network.masterchain, query, NEXT_BLOCK, (bytes) => {
      const answer = readAnswer(bytes)
      if (answer.kind === 'tonNode.dataFullEmpty') return 'none'
      if (!isDataFull(answer)) throw new DecodeError(query.kind, `is answered with ${answer.kind}`)
      const block = readDataFull(answer)
      if (block?.id.workchain === MASTERCHAIN && block.id.seqno === previous.seqno + 1) return block
      throw new DecodeError(query.kind, 'is answered with another block')
    })
    return answer === 'none' ? undefined : answer
  }

  /** Proof of a masterchain block with its signatures, unchecked. */
  blockProof(id: BlockId): Promise<Buffer> {
    return this.ask(
      this.overlayOf(id),
      { kind: 'tonNode.downloadBlockProof', block: id },
      BLOCK,
      (bytes) => bytes,
    )
  }

  /** Proof of a key block, which nodes keep for ever, unchecked. */
  keyBlockProof(id: BlockId): Promise<Buffer> {
    const query = { kind: 'tonNode.downloadKeyBlockProof', block: id } as const
    return this.ask(this.network.masterchain, query, BLOCK, (bytes) => bytes)
  }

  /** Up to eight key blocks after `id`, as nodes say; empty at the newest. */
  nextKeyBlocks(id: BlockId): Promise<readonly BlockId[]> {
    const query = { kind: 'tonNode.getNextKeyBlockIds', block: id, maxSize: 8 } as const
    return this.ask(this.network.masterchain, query, SMALL, (bytes) => {
      const answer = readAnswer(bytes)
      return answer.kind === 'tonNode.keyBlocks' && !answer.error ? answer.blocks : undefined
    })
  }

  /** File of a zerostate: SHA-256 is `id.fileHash`. */
  zerostate(id: BlockId): Promise<Buffer> {
    const query = { kind: 'tonNode.downloadZeroState', block: id } as const
    return this.ask(this.network.masterchain, query, STATE, (answer) => {
      if (sha256(answer).equals(id.fileHash)) return answer
      throw new DecodeError(query.kind, 'the answer is another file')
    })
  }

  /**
   * The archive file that holds a masterchain block, from one node, in pieces in order. What it contains is
   * unchecked. Throws `NoPeerAnswered` if no node has it, or if the one that has it falls silent: begin
   * again.
   */
  async *archive(masterchainSeqno: number): AsyncGenerator<Buffer> {
    const overlay = this.network.masterchain
    const { peer, id } = await this.archiveHolder(masterchainSeqno)
    const slice = (offset: number) =>
      this.askOne(
        overlay,
        peer,
        { kind: 'tonNode.getArchiveSlice', archiveId: id, offset: BigInt(offset), maxSize: SLICE_SIZE },
        SLICE,
      )
    const ahead: Promise<Buffer>[] = []
    const askNext = (offset: number) => {
      const asked = slice(offset)
      // It is awaited later, or not at all after the end.
      asked.catch(() => {})
      ahead.push(asked)
    }
    for (let i = 0; i < SLICES_AHEAD; i++) askNext(i * SLICE_SIZE)
    for (let offset = 0; offset < MAX_ARCHIVE; offset += SLICE_SIZE) {
      const piece = await ahead.shift()!.catch((error) => {
        throw new NoPeerAnswered(`the archive of ${masterchainSeqno} breaks off at ${offset}`, {
          cause: error,
        })
      })
      if (piece.length > 0) yield piece
      if (piece.length < SLICE_SIZE) return
      askNext(offset + SLICES_AHEAD * SLICE_SIZE)
    }
    throw new DecodeError('tonNode.getArchiveSlice', `the archive has more than ${MAX_ARCHIVE} bytes`)
  }

  private archiveHolder(
    masterchainSeqno: number,
  ): Promise<{ readonly peer: FullNodePeer; readonly id: bigint }> {
    const query = { kind: 'tonNode.getArchiveInfo', masterchainSeqno } as const
    return this.ask(this.network.masterchain, query, SMALL, (bytes, peer) => {
      const answer = readAnswer(bytes)
      return answer.kind === 'tonNode.archiveInfo' ? { peer, id: answer.id } : undefined
    })
  }

  private overlayOf({ workchain }: BlockId): JoinedOverlay {
    return workchain === MASTERCHAIN ? this.network.masterchain : this.network.basechain
  }

  /**
   * The first valid answer of several peers. `read` returns undefined for "I do not have it" and throws
   * `DecodeError` for what is wrong, which bans the peer.
   */
  private ask<T>(
    overlay: JoinedOverlay,
    query: TonNodeFunction,
    manner: Manner,
    read: (answer: Buffer, peer: FullNodePeer) => T | undefined,
  ): Promise<T> {
    const peers = this.choose(overlay, manner.peers)
    return new Promise((resolve, reject) => {
      let next = 0
      let running = 0
      let isDone = false
      let lastError: unknown
      const settle = (act: () => void) => {
        isDone = true
        act()
      }
      const start = (): void => {
        const peer = peers[next++]
        if (isDone || !peer) {
          const text = `${query.kind}: ${peers.length} nodes asked`
          if (!isDone && running === 0) settle(() => reject(new NoPeerAnswered(text, { cause: lastError })))
          return
        }
        running++
        const hedge = setTimeout(start, manner.hedgeMs)
        this.tryPeer(overlay, peer, query, manner, read)
          .then(
            (value) => {
              if (value !== undefined && !isDone) settle(() => resolve(value))
            },
            (error) => {
              lastError = error
            },
          )
          .finally(() => {
            clearTimeout(hedge)
            running--
            start()
          })
      }
      start()
    })
  }

  private async tryPeer<T>(
    overlay: JoinedOverlay,
    peer: FullNodePeer,
    query: TonNodeFunction,
    manner: Manner,
    read: (answer: Buffer, peer: FullNodePeer) => T | undefined,
  ): Promise<T | undefined> {
    const answer = await this.askOne(overlay, peer, query, manner)
    try {
      return read(answer, peer)
    } catch (error) {
      if (error instanceof DecodeError) peer.ban(this.network.node.udp.clock.now())
      throw error
    }
  }

  private async askOne(
    overlay: JoinedOverlay,
    peer: FullNodePeer,
    query: TonNodeFunction,
    { timeoutMs, maxAnswerSize }: Manner,
  ): Promise<Buffer> {
    const { udp } = this.network.node
    const bytes = overlayQueryOf(overlay.id, encodeUnion(tonNodeFunction, query))
    const startedAt = udp.clock.now()
    peer.busy++
    try {
      const answer =
        maxAnswerSize === undefined
          ? await udp.ask(peer.adnl, bytes, timeoutMs)
          : await udp.download(peer.adnl, bytes, { timeoutMs, maxAnswerSize })
      peer.answered(udp.clock.now() - startedAt)
      return answer
    } catch (error) {
      peer.failed(udp.clock.now())
      throw error
    } finally {
      peer.busy--
    }
  }

  /** The cheapest peers first, with some chance for the others. */
  private choose({ peers }: JoinedOverlay, count: number): readonly FullNodePeer[] {
    const now = this.network.node.udp.clock.now()
    return [...peers.values()]
      .filter((peer) => peer.isAvailable(now))
      .map((peer) => ({ peer, cost: peer.cost * (0.5 + Math.random()) }))
      .sort((a, b) => a.cost - b.cost)
      .slice(0, count)
      .map(({ peer }) => peer)
  }
}

const readAnswer = (bytes: Buffer): TonNodeAnswer => decodeUnion(tonNodeAnswer, bytes)
const sha256 = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer')

type DataFull = Extract<TonNodeAnswer, { kind: `tonNode.dataFull${string}` }>
const isDataFull = (answer: TonNodeAnswer): answer is DataFull => answer.kind.startsWith('tonNode.dataFull')
