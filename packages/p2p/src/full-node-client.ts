import { hash } from 'node:crypto'
import { type ReceivedBlock, readDataFull } from '@shardwalk/full-node'
import { type BlockId, DecodeError, formatBlockId, MASTERCHAIN, sameBlock } from '@shardwalk/model'
import { decodeTonNodeAnswer, type TonNodeAnswer, type TonNodeFunction } from '@shardwalk/tl'
import { ArchiveDownloads } from './archive-downloads.ts'
import { AnswerNotUnderstood } from './errors.ts'
import type { FullNodeNetwork } from './full-node-network.ts'
import type { FullNodePeer } from './full-node-peer.ts'
import type { JoinedOverlay } from './joined-overlay.ts'
import { type Manner, PeerQueries, type QueryCounts, type Question } from './peer-queries.ts'

const SMALL: Manner = { kind: 'short', timeoutMs: 1_500, hedgeMs: 400, peers: 5 }
const KEY_BLOCKS: Manner = { ...SMALL, peers: 3 }
const ARCHIVE_INFO: Manner = { ...SMALL, chosenBy: 'archive', peers: 16 }
const BLOCK: Manner = { kind: 'block', timeoutMs: 4_000, hedgeMs: 1_000, peers: 5, maxAnswerSize: 4 << 20 }
const BLOCK_OF_HISTORY: Manner = { ...BLOCK, isPaced: true }
const NEXT_BLOCK: Manner = { ...BLOCK, timeoutMs: 2_000, hedgeMs: 300, peers: 3 }
const STATE: Manner = { ...BLOCK, timeoutMs: 20_000, hedgeMs: 5_000, maxAnswerSize: 16 << 20 }
/** Proofs asked of a peer at a time. */
const PROOFS_AHEAD = 4
/** How long others are asked for archives before a node whose archives have an unknown form. */
const POSTPONED_MS = 600_000
/** So many nodes, or all, have to say that a block is the newest. */
const ENOUGH_SAY = 3
/** Masterchain blocks of a file. Source: ton-blockchain/ton, validator/db/archive-manager.cpp. */
const ARCHIVE_BLOCKS = 100

/** The shards whose blocks an archive file of shard blocks contains. */
export interface ShardPrefix {
  readonly workchain: number
  readonly shard: bigint
}

/** An archive file that a node has. */
export interface Archive {
  /** First masterchain block of the file, according to the node; not checked. */
  readonly start: number
  /** The file in pieces, in order. */
  pieces(): AsyncGenerator<Buffer>
  /** Reports the file as false: the node is not asked again. */
  refuse(): void
  /** Reports the file as one in an unknown form: for ten minutes others are asked for archives before. */
  postpone(): void
}

/** Asks full nodes. What they send is checked against the ids asked for; the ids are not proven. */
export class FullNodeClient {
  /** Answers to the query which archive contains a block. */
  readonly archiveAnswers = { yes: 0, no: 0 }
  private readonly queries: PeerQueries
  private readonly downloads: ArchiveDownloads
  /** Nodes with archives in an unknown form, with the time. */
  private readonly postponed = new Map<FullNodePeer, number>()
  /** Nodes that answered that they do not have the block after this one. */
  private without: { readonly previous: BlockId; readonly peers: Set<FullNodePeer> } | undefined

  constructor(private readonly network: FullNodeNetwork) {
    this.queries = new PeerQueries(network)
    this.downloads = new ArchiveDownloads(network, this.queries)
  }

  /** Numbers of queries by kind and outcome. */
  get queryCounts(): QueryCounts {
    return this.queries.counts
  }

  /** Whether any node can be asked. */
  get hasPeers(): boolean {
    const now = this.network.node.udp.clock.now()
    for (const peer of this.network.masterchain.peers.values()) if (!peer.isBanned(now)) return true
    return false
  }

  /** Nodes of the masterchain's overlay that are neither banned nor silent. */
  private get ready(): readonly FullNodePeer[] {
    const now = this.network.node.udp.clock.now()
    const peers = [...this.network.masterchain.peers.values()]
    return peers.filter((peer) => !peer.isBanned(now) && !peer.isResting(now))
  }

  /** The block's file: SHA-256 is `id.fileHash`. Throws `NoPeerAnswered`. */
  block(id: BlockId, { urgent }: { readonly urgent?: boolean | undefined } = {}): Promise<Buffer> {
    const query = { kind: 'tonNode.downloadBlock', block: id } as const
    const read = (answer: Buffer): Buffer => {
      if (sha256(answer).equals(id.fileHash)) return answer
      throw new DecodeError('tonNode.downloadBlock', `the answer is not ${formatBlockId(id)}`)
    }
    const manner = urgent ? BLOCK : BLOCK_OF_HISTORY
    return this.queries.first({ overlay: this.overlayOf(id), query, manner, urgent, read })
  }

  /**
   * The masterchain block after `previous`; undefined if a node says that there is none yet, which others are
   * asked about the next time: one may be behind, or dishonest. `check` throws if the block is not proven;
   * without it the id is what a node says.
   */
  async nextBlock(
    previous: BlockId,
    check: (block: ReceivedBlock) => void = () => {},
  ): Promise<ReceivedBlock | undefined> {
    const query = { kind: 'tonNode.downloadNextBlockFull', prevBlock: previous } as const
    const last = this.withoutNext(previous)
    const read: Question<ReceivedBlock | 'none'>['read'] = (bytes, peer) => {
      const answer = readAnswer(bytes)
      if (answer.kind === 'tonNode.dataFullEmpty') {
        last.add(peer)
        return 'none'
      }
      if (!isDataFull(answer)) throw new DecodeError(query.kind, `is answered with ${answer.kind}`)
      const block = readDataFull(answer)
      if (!block) throw new AnswerNotUnderstood(`${answer.kind} in a form that is not known`)
      if (block.id.workchain !== MASTERCHAIN || block.id.seqno !== previous.seqno + 1)
        throw new DecodeError(query.kind, 'is answered with another block')
      check(block)
      return block
    }
    const overlay = this.network.masterchain
    const answer = await this.queries.first({ overlay, query, manner: NEXT_BLOCK, urgent: true, last, read })
    return answer === 'none' ? undefined : answer
  }

  private withoutNext(previous: BlockId): Set<FullNodePeer> {
    if (!this.without || !sameBlock(this.without.previous, previous))
      this.without = { previous, peers: new Set() }
    const { peers } = this.without
    // All were asked: start over with the best ones.
    if (this.ready.every((peer) => peers.has(peer))) peers.clear()
    return peers
  }

  /** Whether several nodes have answered recently that there is no masterchain block after this one yet. */
  isNewest(id: BlockId): boolean {
    const { without } = this
    if (!without || !sameBlock(without.previous, id)) return false
    return without.peers.size >= Math.min(ENOUGH_SAY, this.ready.length)
  }

  /** Proof of a masterchain block with its signatures; `read` throws if the proof is false. */
  blockProof<T>(id: BlockId, read: (proof: Buffer) => T | Promise<T>): Promise<T> {
    const query = { kind: 'tonNode.downloadBlockProof', block: id } as const
    return this.queries.first({ overlay: this.network.masterchain, query, manner: BLOCK, read })
  }

  /** The same of a key block, which nodes keep for ever. */
  keyBlockProof<T>(id: BlockId, read: (proof: Buffer) => T): Promise<T> {
    const query = { kind: 'tonNode.downloadKeyBlockProof', block: id } as const
    return this.askUrgently(query, BLOCK, read)
  }

  /**
   * Up to eight key blocks after `id`; empty if several nodes say that it is the newest. Anybody can name
   * blocks that do not exist, and nodes would not answer for them: the peer that names them has to prove
   * them. `begin` is called for each node and returns what reads its proofs in order, which throws if one is
   * false.
   */
  nextKeyBlocks<T>(id: BlockId, begin: () => (id: BlockId, proof: Buffer) => T): Promise<readonly T[]> {
    const query = { kind: 'tonNode.getNextKeyBlockIds', block: id, maxSize: 8 } as const
    let isEnd = false
    const found = this.askUrgently(query, KEY_BLOCKS, async (bytes, peer, peerIsLate) => {
      const answer = readAnswer(bytes)
      if (answer.kind !== 'tonNode.keyBlocks' || answer.error) return undefined
      if (answer.blocks.length === 0) {
        isEnd = true
        return undefined
      }
      const read = begin()
      const proven: T[] = []
      const ask = (block: BlockId) => this.proofOf(peer, block, peerIsLate)
      for await (const [block, proof] of ahead(answer.blocks, PROOFS_AHEAD, ask))
        proven.push(read(block, proof))
      return proven
    })
    return found.catch((error) => {
      if (isEnd) return []
      throw error
    })
  }

  private proofOf(peer: FullNodePeer, block: BlockId, peerIsLate: () => void): Promise<Buffer> {
    const query = { kind: 'tonNode.downloadKeyBlockProof', block } as const
    const question = { overlay: this.network.masterchain, query, manner: BLOCK }
    return this.queries.one(peer, question, { peerIsLate }).catch((cause) => {
      // Silence is no false answer: it may have been lost.
      throw new Error(`the node does not prove ${formatBlockId(block)}`, { cause })
    })
  }

  /** File of a zerostate: SHA-256 is `id.fileHash`. */
  zerostate(id: BlockId): Promise<Buffer> {
    const query = { kind: 'tonNode.downloadZeroState', block: id } as const
    return this.askUrgently(query, STATE, (answer) => {
      if (sha256(answer).equals(id.fileHash)) return answer
      throw new DecodeError(query.kind, 'the answer is another file')
    })
  }

  /**
   * A node's archive file with a masterchain block, or with the shard blocks that belong to it. What it
   * contains is unchecked. Throws `NoPeerAnswered` if no node has it.
   */
  findArchive(masterchainSeqno: number, shard?: ShardPrefix): Promise<Archive> {
    const query: TonNodeFunction = shard
      ? { kind: 'tonNode.getShardArchiveInfo', masterchainSeqno, shardPrefix: shard }
      : { kind: 'tonNode.getArchiveInfo', masterchainSeqno }
    const read: Question<Archive>['read'] = (bytes, peer) => {
      const answer = readAnswer(bytes)
      const hasIt = answer.kind === 'tonNode.archiveInfo'
      this.archiveAnswers[hasIt ? 'yes' : 'no']++
      if (!hasIt) return undefined
      const { id } = answer
      const start = Number(id & 0xffff_ffffn)
      if (start > masterchainSeqno)
        throw new DecodeError(query.kind, `block ${masterchainSeqno} is not in the file of ${start}`)
      // Files of the first years may hold thousands of blocks: those are asked for one by one.
      if (start + ARCHIVE_BLOCKS <= masterchainSeqno) return undefined
      return {
        start,
        pieces: () => this.downloads.pieces(peer, id),
        refuse: () => peer.ban(this.network.node.udp.clock.now()),
        postpone: () => this.postponed.set(peer, this.network.node.udp.clock.now()),
      }
    }
    const overlay = this.network.masterchain
    return this.queries.first({ overlay, query, manner: ARCHIVE_INFO, last: this.unreadable(), read })
  }

  private unreadable(): ReadonlySet<FullNodePeer> {
    const since = this.network.node.udp.clock.now() - POSTPONED_MS
    for (const [peer, at] of this.postponed) if (at < since) this.postponed.delete(peer)
    return new Set(this.postponed.keys())
  }

  private overlayOf({ workchain }: BlockId): JoinedOverlay {
    return workchain === MASTERCHAIN ? this.network.masterchain : this.network.basechain
  }

  /** For what the head needs. */
  private askUrgently<T>(query: TonNodeFunction, manner: Manner, read: Question<T>['read']): Promise<T> {
    return this.queries.first({ overlay: this.network.masterchain, query, manner, urgent: true, read })
  }
}

/** What `ask` answers to each item, in order; some are asked ahead. */
async function* ahead<T, U>(
  items: readonly T[],
  count: number,
  ask: (item: T) => Promise<U>,
): AsyncGenerator<readonly [T, U]> {
  const asked: Promise<U>[] = []
  for (const [index, item] of items.entries()) {
    for (const next of items.slice(asked.length, index + count)) {
      const answer = ask(next)
      // It is awaited later, or not at all after an error.
      answer.catch(() => {})
      asked.push(answer)
    }
    yield [item, await asked[index]!]
  }
}

function readAnswer(bytes: Buffer): TonNodeAnswer {
  const answer = decodeTonNodeAnswer(bytes)
  if (answer) return answer
  throw new AnswerNotUnderstood(`an answer with id ${bytes.readUInt32LE().toString(16)}`)
}

const sha256 = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer')

type DataFull = Extract<TonNodeAnswer, { kind: `tonNode.dataFull${string}` }>
const isDataFull = (answer: TonNodeAnswer): answer is DataFull => answer.kind.startsWith('tonNode.dataFull')
