import { type BlockId, DecodeError, formatBlockId, sameBlock } from '@shardwalk/model'
import type { FullNodeClient } from '@shardwalk/p2p'
import { BlockNotAvailable } from '@shardwalk/pipeline'
import { type BlockLink, BlockProofChecker, openBlockProof } from '@shardwalk/proofs'
import { headerOf, merkleProofOf, type SignedBlock, signedLink, zerostateProof } from './signed-link.ts'

/** Configurations kept as bytes; they are large where there are many validators. */
const CONFIGS = 32
/** Key blocks after which the checker's validator sets are dropped. */
const CHECKED = 256

/**
 * Key blocks that validators' signatures lead to from the blocks that the global config names. What other
 * masterchain blocks are signed by follows from them.
 */
export class KeyBlocks {
  /** Ascending by seqno. */
  private readonly ids: BlockId[]
  private readonly configs = new Map<number, Buffer>()
  private checker = new BlockProofChecker()
  private checked = 0
  private turn: Promise<unknown> = Promise.resolve()

  /** `anchors` are trusted: zerostate, init block, hard forks. */
  constructor(
    private readonly client: FullNodeClient,
    anchors: readonly BlockId[],
  ) {
    this.ids = [...anchors].sort((a, b) => a.seqno - b.seqno)
  }

  get newest(): BlockId {
    return this.ids.at(-1)!
  }

  /** The one in force after masterchain block `seqno`, if all up to there are known. */
  inForceAfter(seqno: number): BlockId {
    return this.ids.findLast((id) => id.seqno <= seqno) ?? this.ids[0]!
  }

  find(seqno: number): BlockId | undefined {
    return this.ids.find((id) => id.seqno === seqno)
  }

  /** Known ones after `from`, up to and including `to`. */
  between(from: number, to: number): readonly BlockId[] {
    return this.ids.filter(({ seqno }) => from < seqno && seqno <= to)
  }

  /** Goes on to the newest key block that nodes know. */
  extend(): Promise<void> {
    return this.inTurn(async () => {
      while (await this.step(this.newest));
    })
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
      const before = this.ids.findLast((id) => id.seqno < seqno)
      if (!before || !(await this.step(before)) || this.nextAfter(before) > seqno)
        if (!this.find(seqno)) throw new BlockNotAvailable(`key block ${seqno}`, 'full nodes')
    }
  }

  private nextAfter({ seqno }: BlockId): number {
    return this.ids.find((id) => id.seqno > seqno)?.seqno ?? Number.POSITIVE_INFINITY
  }

  /** Proves key blocks that follow `from`; false if there are none. */
  private async step(from: BlockId): Promise<boolean> {
    let at = from
    for (const id of await this.client.nextKeyBlocks(from)) {
      if (id.seqno <= at.seqno) throw new DecodeError('tonNode.keyBlocks', 'are not in order')
      const config = await this.configProof(at)
      const before = at
      const proof = await this.client.keyBlockProof(id, (file) => {
        this.verify(before, config, { id, proof: file })
        return file
      })
      this.add(id, proof)
      at = id
    }
    return at !== from
  }

  /** Takes a key block that is proven. */
  add(id: BlockId, proof: Buffer): void {
    this.keep(id.seqno, merkleProofOf(proof))
    if (this.find(id.seqno)) return
    const at = this.ids.findLastIndex((known) => known.seqno < id.seqno)
    this.ids.splice(at + 1, 0, id)
  }

  /** Proof that shows the configuration of a key block, or of the zerostate. */
  async configProof(of: BlockId): Promise<Buffer> {
    const known = this.configs.get(of.seqno)
    if (known) return known
    const proof =
      of.seqno === 0
        ? zerostateProof(await this.client.zerostate(of))
        : await this.client.keyBlockProof(of, (file) => {
            const proof = merkleProofOf(file)
            openBlockProof(proof, of, formatBlockId(of))
            return proof
          })
    this.keep(of.seqno, proof)
    return proof
  }

  private keep(seqno: number, proof: Buffer): void {
    const [oldest] = this.configs.keys()
    if (oldest !== undefined && this.configs.size >= CONFIGS) this.configs.delete(oldest)
    this.configs.set(seqno, proof)
  }

  /** Verifies the signatures of a block by the validators of a key block. Throws `ProofError`. */
  verify(keyBlock: BlockId, configProof: Buffer, block: SignedBlock): BlockLink {
    const { prevKeyBlockSeqno } = headerOf(block)
    if (prevKeyBlockSeqno !== keyBlock.seqno)
      throw new DecodeError('block_info.prev_key_block_seqno', `is ${prevKeyBlockSeqno}`)
    const link = signedLink(keyBlock, configProof, block)
    if (++this.checked % CHECKED === 0) this.checker = new BlockProofChecker()
    this.checker.verify({ complete: true, from: keyBlock, to: block.id, steps: [link] }, keyBlock)
    return link
  }

  /** The same with the key block that the block's header names. */
  async prove(block: SignedBlock): Promise<BlockLink> {
    const keyBlock = await this.at(headerOf(block).prevKeyBlockSeqno)
    const link = this.verify(keyBlock, await this.configProof(keyBlock), block)
    const known = this.find(block.id.seqno)
    if (known && !sameBlock(known, block.id))
      throw new DecodeError('block_proof', `contradicts ${formatBlockId(known)}`)
    if (link.toKeyBlock) this.add(block.id, block.proof)
    return link
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.turn.then(act, act)
    this.turn = result.catch(() => {})
    return result
  }
}
