import { type BlockId, DecodeError, formatBlockId, RecentMap, sameBlock } from '@shardwalk/model'
import type { FullNodeClient } from '@shardwalk/p2p'
import { BlockNotAvailable } from '@shardwalk/pipeline'
import { type BlockLink, BlockProofChecker, validatorKeys } from '@shardwalk/proofs'
import { type OpenedBlock, openSigned, signedLink, zerostateProof } from './signed-link.ts'

/** Configurations kept as bytes; they are large where there are many validators. */
const CONFIGS = 32

/**
 * Key blocks that validators' signatures lead to from the blocks that the global config names. What other
 * masterchain blocks are signed by follows from them.
 */
export class KeyBlocks {
  /** Ascending by seqno. */
  private readonly ids: BlockId[]
  /**
   * The key block that each names as the one before it, both by seqno. Of those from the global config or an
   * earlier start it is not known, and there may be others before them that are not known either.
   */
  private readonly previous = new Map<number, number>()
  private readonly configs = new RecentMap<number, Buffer>(CONFIGS)
  private readonly checker = new BlockProofChecker()
  private turn: Promise<unknown> = Promise.resolve()

  /**
   * `anchors` are trusted: zerostate, init block, hard forks. So is what was verified before a restart,
   * unless nodes do not know it.
   */
  constructor(
    private readonly client: FullNodeClient,
    anchors: readonly BlockId[],
    private remembered?: BlockId | undefined,
  ) {
    this.ids = [...anchors].sort((a, b) => a.seqno - b.seqno)
    if (remembered && remembered.seqno > this.newest.seqno) this.ids.push(remembered)
    else this.remembered = undefined
  }

  get newest(): BlockId {
    return this.ids.at(-1)!
  }

  /** The one in force after masterchain block `seqno`, if all up to there are known. */
  inForceAfter(seqno: number): BlockId {
    return this.ids[this.countUpTo(seqno) - 1] ?? this.ids[0]!
  }

  find(seqno: number): BlockId | undefined {
    const last = this.ids[this.countUpTo(seqno) - 1]
    return last?.seqno === seqno ? last : undefined
  }

  /** Known ones after `from`, up to and including `to`. */
  private between(from: number, to: number): readonly BlockId[] {
    return this.ids.slice(this.countUpTo(from), this.countUpTo(to))
  }

  /**
   * The first `most` key blocks after `from`, which is trusted, up to and including `to`, without a gap: what
   * is not known is asked for. Throws `BlockNotAvailable` if signatures do not lead on.
   */
  follow(from: BlockId, to: number, most: number): Promise<readonly BlockId[]> {
    return this.inTurn(async () => {
      for (;;) {
        const path = this.between(from.seqno, to).slice(0, most)
        const isNext = (seqno: number, before: BlockId) => this.previous.get(seqno) === before.seqno
        const gap = path.findIndex(({ seqno }, i) => !isNext(seqno, path[i - 1] ?? from))
        if (gap === -1) return path
        const before = path[gap - 1] ?? from
        const isFilled = (await this.step(before)) && isNext(this.nextAfter(before), before)
        if (!isFilled) throw new BlockNotAvailable(`the key block after ${before.seqno}`, 'full nodes')
      }
    })
  }

  /** How many have this seqno or a smaller one. There are tens of thousands, and they are searched often. */
  private countUpTo(seqno: number): number {
    let [low, high] = [0, this.ids.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.ids[middle]!.seqno <= seqno) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Proceeds to the newest key block that nodes know. */
  extend(): Promise<void> {
    return this.inTurn(async () => {
      try {
        while (await this.step(this.newest)) this.remembered = undefined
        this.remembered = undefined
      } catch (error) {
        this.forgetRemembered()
        throw error
      }
    })
  }

  /**
   * Drops the key block of an earlier start; proofs then begin at the blocks of the global config, which
   * takes longer.
   */
  private forgetRemembered(): void {
    if (this.remembered && this.newest === this.remembered) this.ids.pop()
    this.remembered = undefined
  }

  /** The key block with this seqno. Throws `BlockNotAvailable` if signatures do not lead to one. */
  at(seqno: number): Promise<BlockId> {
    const known = this.find(seqno)
    return known ? Promise.resolve(known) : this.inTurn(() => this.walkTo(seqno))
  }

  private async walkTo(seqno: number): Promise<BlockId> {
    for (;;) {
      const known = this.find(seqno)
      if (known) return known
      const before = this.ids[this.countUpTo(seqno) - 1]
      const isNearer = before !== undefined && (await this.step(before)) && this.nextAfter(before) <= seqno
      if (!isNearer && !this.find(seqno)) throw new BlockNotAvailable(`key block ${seqno}`, 'full nodes')
    }
  }

  private nextAfter({ seqno }: BlockId): number {
    return this.ids[this.countUpTo(seqno)]?.seqno ?? Number.POSITIVE_INFINITY
  }

  /** Proves key blocks that follow `from`; false if there are none. */
  private async step(from: BlockId): Promise<boolean> {
    const configOfFirst = await this.configProof(from)
    const proven = await this.client.nextKeyBlocks(from, () => {
      let [at, config] = [from, configOfFirst]
      return (id, proof) => {
        if (id.seqno <= at.seqno) throw new DecodeError('tonNode.keyBlocks', 'are not in order')
        const opened = openSigned({ id, proof })
        this.verify(at, config, opened)
        at = id
        config = opened.merkleProof
        return opened
      }
    })
    for (const block of proven) this.add(block)
    return proven.length > 0
  }

  /** Takes a key block that is proven. */
  add({ id, merkleProof, header }: OpenedBlock): void {
    this.configs.set(id.seqno, merkleProof)
    this.previous.set(id.seqno, header.prevKeyBlockSeqno)
    if (!this.find(id.seqno)) this.ids.splice(this.countUpTo(id.seqno), 0, id)
  }

  /** Proof that shows the configuration of a key block, or of the zerostate. */
  async configProof(of: BlockId): Promise<Buffer> {
    const known = this.configs.get(of.seqno)
    if (known) return known
    const proof =
      of.seqno === 0
        ? zerostateProof(await this.client.zerostate(of))
        : await this.client.keyBlockProof(of, (file) => openSigned({ id: of, proof: file }).merkleProof)
    this.configs.set(of.seqno, proof)
    return proof
  }

  /** Public keys of the validators whom the newest key block names. */
  async validatorKeys(): Promise<readonly Buffer[]> {
    const { newest } = this
    return validatorKeys(newest, await this.configProof(newest))
  }

  /**
   * Verifies the signatures of a block by the validators of a key block. Throws `ProofError` or
   * `FormNotKnown`.
   */
  verify(keyBlock: BlockId, configProof: Buffer, block: OpenedBlock): BlockLink {
    const { prevKeyBlockSeqno } = block.header
    if (prevKeyBlockSeqno !== keyBlock.seqno)
      throw new DecodeError('block_info.prev_key_block_seqno', `is ${prevKeyBlockSeqno}`)
    const link = signedLink(keyBlock, configProof, block)
    this.checker.verify({ complete: true, from: keyBlock, to: block.id, steps: [link] }, keyBlock)
    return link
  }

  /** The same with the key block that the block's header names, which must be the last before it. */
  async prove(block: OpenedBlock): Promise<BlockLink> {
    const { prevKeyBlockSeqno } = block.header
    const keyBlock = await this.at(prevKeyBlockSeqno)
    // Former validators could sign another chain, so a key block vouches only for blocks up to the next one.
    const [next] = this.between(prevKeyBlockSeqno, block.id.seqno - 1)
    if (next && next !== this.remembered)
      throw new DecodeError('block_info.prev_key_block_seqno', `is ${prevKeyBlockSeqno}, not ${next.seqno}`)
    const link = this.verify(keyBlock, await this.configProof(keyBlock), block)
    const known = this.find(block.id.seqno)
    if (known && !sameBlock(known, block.id))
      throw new DecodeError('block_proof', `contradicts ${formatBlockId(known)}`)
    if (link.toKeyBlock) this.add(block)
    return link
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.turn.then(act, act)
    this.turn = result.catch(() => {})
    return result
  }
}
