import { decodeSkeleton } from '@shardwalk/blocks'
import { type BlockId, MASTERCHAIN, sameBlock } from '@shardwalk/model'
import type { Recording } from '@shardwalk/sources'
import { encodeUnion, type TonNodeAnswer, type TonNodeFunction, tonNodeAnswer } from '@shardwalk/tl'
import type { ReplayChain } from '../chain.ts'
import type { ChainBlock } from '../shard-index.ts'
import { ArchiveFiles } from './archive-files.ts'

/** Version that the answers are of. Source: ton-blockchain/ton, validator/full-node-shard.cpp, 2026.06. */
const CAPABILITIES = { versionMajor: 3, versionMinor: 2, flags: 0 }
const MAX_SLICE = 16 << 20
const MAX_KEY_BLOCKS = 8
/** In the id of an archive file: it holds shard blocks. The low 32 bits are the first masterchain block. */
const OF_SHARDS = 1n << 32n

const encodeAnswer = (answer: TonNodeAnswer): Buffer => encodeUnion(tonNodeAnswer, answer)

/** Answers queries to full nodes from a recorded chain; undefined: silence, as nodes refuse. */
export class FullNodeAnswers {
  private readonly archives: ArchiveFiles

  /** `hasShardFiles`: shard blocks are in archive files of their own. */
  constructor(
    private readonly chain: ReplayChain,
    private readonly hasShardFiles: boolean,
  ) {
    this.archives = new ArchiveFiles(chain.recording)
  }

  async answer(query: TonNodeFunction): Promise<Buffer | undefined> {
    switch (query.kind) {
      case 'tonNode.getCapabilities':
        return encodeAnswer({ kind: 'tonNode.capabilities', ...CAPABILITIES })
      case 'tonNode.prepareBlock':
        return encodeAnswer({ kind: this.chain.find(query.block) ? 'tonNode.prepared' : 'tonNode.notFound' })
      case 'tonNode.downloadBlock':
        return this.bytes(query.block)
      case 'tonNode.downloadBlockFull':
        return this.full(this.chain.find(query.block))
      case 'tonNode.downloadNextBlockFull':
        return this.isKnown(query.prevBlock) ? this.full(this.after(query.prevBlock)) : undefined
      case 'tonNode.getNextBlockDescription':
        return this.isKnown(query.prevBlock) ? this.describe(this.after(query.prevBlock)) : undefined
      case 'tonNode.downloadBlockProof':
      case 'tonNode.downloadKeyBlockProof':
        return this.chain.find(query.block) && this.chain.recording.proof(query.block)
      case 'tonNode.downloadZeroState':
        return this.chain.recording.zerostate(query.block)
      case 'tonNode.getNextKeyBlockIds':
        return this.keyBlocksAfter(query.block, query.maxSize)
      case 'tonNode.getArchiveInfo':
        return this.archiveInfo(query.masterchainSeqno)
      case 'tonNode.getShardArchiveInfo':
        return this.archiveInfo(query.masterchainSeqno, OF_SHARDS)
      case 'tonNode.getArchiveSlice':
        return this.archiveSlice(query)
      default:
        return undefined
    }
  }

  private async bytes(id: BlockId): Promise<Buffer | undefined> {
    const block = this.chain.find(id)
    return block && this.chain.bytes(block)
  }

  private async full(block: ChainBlock | undefined): Promise<Buffer> {
    if (!block) return encodeAnswer({ kind: 'tonNode.dataFullEmpty' })
    const proof = (await this.chain.recording.proof(block.id)) ?? Buffer.alloc(0)
    const isLink = block.id.workchain !== MASTERCHAIN
    return encodeAnswer({
      kind: 'tonNode.dataFull',
      id: block.id,
      proof,
      block: await this.chain.bytes(block),
      isLink,
    })
  }

  private describe(block: ChainBlock | undefined): Buffer {
    if (!block) return encodeAnswer({ kind: 'tonNode.blockDescriptionEmpty' })
    return encodeAnswer({ kind: 'tonNode.blockDescription', id: block.id })
  }

  private isKnown(id: BlockId): boolean {
    return this.chain.find(id) !== undefined || sameBlock(id, this.chain.recording.network.zerostate)
  }

  private after({ workchain, seqno }: BlockId): ChainBlock | undefined {
    if (workchain !== MASTERCHAIN || seqno >= this.chain.headSeqno) return undefined
    return this.chain.masterchain(seqno + 1)
  }

  private async keyBlocksAfter(block: BlockId, maxSize: number): Promise<Buffer | undefined> {
    if (!this.isKnown(block)) return undefined
    const known = (await keyBlocksOf(this.chain.recording)).filter(
      ({ seqno }) => seqno > block.seqno && seqno <= this.chain.headSeqno,
    )
    const blocks = known.slice(0, Math.min(maxSize, MAX_KEY_BLOCKS))
    return encodeAnswer({ kind: 'tonNode.keyBlocks', blocks, incomplete: false, error: false })
  }

  private archiveInfo(seqno: number, kind = 0n): Buffer {
    const start = this.archives.startOf(seqno, this.chain.headSeqno)
    if (start === undefined || (kind !== 0n && !this.hasShardFiles))
      return encodeAnswer({ kind: 'tonNode.archiveNotFound' })
    return encodeAnswer({ kind: 'tonNode.archiveInfo', id: BigInt(start) | kind })
  }

  private async archiveSlice({
    archiveId,
    offset,
    maxSize,
  }: Extract<TonNodeFunction, { kind: 'tonNode.getArchiveSlice' }>): Promise<Buffer | undefined> {
    const head = this.chain.headSeqno
    const start = Number(BigInt.asUintN(32, archiveId))
    const isOfShards = (archiveId & OF_SHARDS) !== 0n
    if (this.archives.startOf(start, head) !== start || maxSize < 0 || maxSize > MAX_SLICE) return undefined
    const kind = isOfShards ? 'shards' : this.hasShardFiles ? 'masterchain' : 'all'
    const file = await this.archives.read(start, head, kind)
    const from = Number(offset)
    return from > file.length ? undefined : file.subarray(from, from + maxSize)
  }
}

/** Of each recording, because every masterchain block has to be read for them. */
const keyBlocks = new WeakMap<Recording, Promise<readonly BlockId[]>>()

function keyBlocksOf(recording: Recording): Promise<readonly BlockId[]> {
  const known = keyBlocks.get(recording)
  if (known) return known
  const found = findKeyBlocks(recording)
  keyBlocks.set(recording, found)
  return found
}

async function findKeyBlocks(recording: Recording): Promise<readonly BlockId[]> {
  const found: BlockId[] = []
  for (let seqno = recording.first; seqno <= recording.last; seqno++) {
    const { block } = recording.step(seqno)!
    const { header } = decodeSkeleton({ id: block.id, bytes: await recording.read(block) })
    if (header.keyBlock) found.push(block.id)
  }
  return found
}
