import { hash } from 'node:crypto'
import { Builder, parseRoot, serializeBoc } from '@shardwalk/cells'
import { type BlockId, formatBlockId, sameBlock } from '@shardwalk/model'
import type { RecordedBlock } from '@shardwalk/sources'
import type { LiteArguments, LiteResults } from '@shardwalk/tl'
import type { ReplayChain } from '../chain.ts'
import { notReady, Refusal } from '../refusal.ts'

/**
 * Wrong answers of a server about blocks that are not final. `never-final`: blocks that the masterchain never
 * commits, with the transactions of those that it does; `wrong-data`: one byte of a block is wrong;
 * `other-block`: the data are those of another real block.
 */
export type NonfinalFault = 'never-final' | 'wrong-data' | 'other-block'

/** Block that validators signed. */
interface Signed {
  readonly id: BlockId
  readonly read: () => Promise<Buffer>
}

const NOBODY = Buffer.alloc(32)
/** Weight of all validators of a shard. */
const WEIGHT = 1n
/** Offset of the time in `BlockInfo`, bits. Source: block.tlb `block_info#9bc7a987`. */
const GEN_UTIME = 248

/** Shard blocks that are signed and that the next masterchain blocks will commit. */
export class NonfinalBlocks {
  private readonly forged = new Map<string, Promise<Signed>>()
  fault: NonfinalFault | undefined

  constructor(
    private readonly chain: ReplayChain,
    private readonly isAllowed: boolean,
  ) {}

  async getPendingShardBlocks(): Promise<LiteResults['liteServer.nonfinal.getPendingShardBlocks']> {
    const blocks = await this.signed()
    const isFollowed = ({ id }: Signed) =>
      this.waiting().some(({ prev }) => prev.some((one) => sameBlock(one, id)))
    return { signedBlocks: blocks.filter((block) => !isFollowed(block)).map(({ id }) => id), candidates: [] }
  }

  /** Only the blocks right after those that are final. */
  async getValidatorGroups(): Promise<LiteResults['liteServer.nonfinal.getValidatorGroups']> {
    const blocks = await this.signed()
    const groups = this.chain.shardTops(this.chain.headSeqno).map((top) => {
      const nextBlockId = { workchain: top.workchain, shard: top.shard, seqno: top.seqno + 1 }
      const candidates = blocks
        .filter(({ id }) => id.shard === top.shard && id.seqno === nextBlockId.seqno)
        .map(({ id }) => ({
          id: { blockId: id, creator: NOBODY, collatedDataHash: NOBODY },
          available: true,
          approvedWeight: WEIGHT,
          signedWeight: WEIGHT,
          totalWeight: WEIGHT,
        }))
      return { nextBlockId, ccSeqno: 0, prev: [top], candidates }
    })
    return { groups }
  }

  async getCandidate({
    id,
  }: LiteArguments['liteServer.nonfinal.getCandidate']): Promise<
    LiteResults['liteServer.nonfinal.getCandidate']
  > {
    await this.signed()
    const data = await this.find(id.blockId)
    if (!data) throw notReady('candidate not found')
    return { id, data, collatedData: Buffer.alloc(0) }
  }

  /** The bytes of a signed block that is not final; undefined for other blocks. */
  async find(wanted: BlockId): Promise<Buffer | undefined> {
    if (!this.isAllowed) return undefined
    const own =
      (await this.forged.get(formatBlockId(wanted))) ?? this.real().find(({ id }) => sameBlock(id, wanted))
    if (!own) return undefined
    const data = await own.read()
    if (this.fault === 'wrong-data') return flipped(data)
    if (this.fault === 'other-block') return this.chain.bytes(this.chain.head)
    return data
  }

  private async signed(): Promise<readonly Signed[]> {
    if (!this.isAllowed) throw new Refusal(0, 'query is not allowed')
    return this.fault === 'never-final'
      ? Promise.all(this.real().map((block) => this.forge(block)))
      : this.real()
  }

  private real(): readonly Signed[] {
    return this.waiting().map((block) => ({ id: block.id, read: () => this.chain.recording.read(block) }))
  }

  private waiting(): readonly RecordedBlock[] {
    const { headSeqno, signedSeqno, recording } = this.chain
    const count = Math.max(0, signedSeqno - headSeqno)
    return Array.from({ length: count }, (_, i) => recording.step(headSeqno + 1 + i)?.shards ?? []).flat()
  }

  /** The same block made a second earlier or later. */
  private async forge({ id, read }: Signed): Promise<Signed> {
    const root = parseRoot(await read())
    const [info, ...rest] = root.refs
    const other = new Builder()
    const bits = info!.slice()
    for (let at = 0; at < info!.bits; at++) {
      const bit = bits.loadBit()
      other.storeBit(at === GEN_UTIME + 31 ? !bit : bit)
    }
    for (const ref of info!.refs) other.storeRef(ref)
    const block = new Builder()
      .storeUint(root.slice().loadUint(32), 32)
      .storeUint(root.slice().skip(32).loadUint(32), 32)
    for (const ref of [other.endCell(), ...rest]) block.storeRef(ref)
    const cell = block.endCell()
    const data = serializeBoc(cell)
    const forged = { ...id, rootHash: cell.hash(), fileHash: hash('sha256', data, 'buffer') }
    const signed = { id: forged, read: async () => data }
    this.forged.set(formatBlockId(forged), Promise.resolve(signed))
    return signed
  }
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[copy.length >> 1]! ^= 1
  return copy
}
