import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseBoc } from '@shardwalk/cells'
import {
  type BlockId,
  DecodeError,
  formatBlockId,
  formatShortId,
  MASTERCHAIN,
  masterchainId,
} from '@shardwalk/model'
import {
  BlockNotAvailable,
  type BlockSource,
  readPredecessors,
  readSkeleton,
  type WaitOptions,
} from '@shardwalk/pipeline'
import { loadShardState } from '@shardwalk/tlb'
import { globalVersionOfKeyBlock, globalVersionOfZerostate } from './global-version.ts'
import { PackFolder } from './pack/pack-folder.ts'
import { readMaybeGzipped } from './recording/maybe-gzipped.ts'
import type { ProofSource } from './recording/record-proofs.ts'
import { waitUntilTimeout } from './wait-until-timeout.ts'

export interface ArchiveOptions {
  /** Folder with `.pack` files at any depth: `archive/packages` of a node, or a copy of part of it. */
  readonly folder: string
  /** Folders with zerostate files besides the node's own (`static`, `archive/states`). */
  readonly zerostateFolders?: readonly string[]
}

/** Blocks from the archive packages of a TON node; needs no node or RocksDB. Source: node, validator/db. */
export class ArchiveSource implements BlockSource, ProofSource {
  readonly name = 'archive'
  private headId: Promise<BlockId> | undefined

  private constructor(
    private readonly packs: PackFolder,
    private readonly options: ArchiveOptions,
  ) {}

  /** Reads all entry names once; later changes of the files are not noticed. */
  static async open(options: ArchiveOptions): Promise<ArchiveSource> {
    return new ArchiveSource(await PackFolder.index(options.folder), options)
  }

  /** Seqnos of the masterchain blocks in ascending order; archives may have gaps. */
  masterchainSeqnos(): number[] {
    return this.packs.masterchainSeqnos()
  }

  async zerostateId(): Promise<BlockId> {
    const first = await this.packs.masterchainBlockId(1)
    if (!first) return this.zerostateIdOfFile()
    const zerostate = readPredecessors({ id: first, bytes: await this.getBlock(first) })?.[0]
    if (zerostate) return zerostate
    throw new BlockNotAvailable('zerostate id', this.name, { why: 'masterchain block 1 cannot be decoded' })
  }

  /** Of the masterchain's zerostate, which is recognised by its content. */
  private async zerostateIdOfFile(): Promise<BlockId> {
    for await (const bytes of this.zerostateFiles((name) => ZEROSTATE_FILE.test(name))) {
      const id = readZerostateId(bytes)
      if (id?.workchain === MASTERCHAIN) return id
    }
    throw new BlockNotAvailable('zerostate id', this.name, {
      why: 'neither masterchain block 1 nor the zerostate is there',
    })
  }

  head(): Promise<BlockId> {
    this.headId ??= this.findHead().catch((error: unknown) => {
      this.headId = undefined
      throw error
    })
    return this.headId
  }

  /** A copy of a running node's archive may end before the shard blocks of its newest masterchain blocks. */
  private async findHead(): Promise<BlockId> {
    for (const seqno of this.packs.masterchainSeqnos().reverse()) {
      const id = (await this.packs.masterchainBlockId(seqno))!
      const tops = readSkeleton({ id, bytes: await this.getBlock(id) })?.shardTops ?? []
      if (tops.every((top) => top.seqno === 0 || this.packs.has(top))) return id
    }
    throw new BlockNotAvailable('masterchain head', this.name)
  }

  async waitForMasterchain(seqno: number, options: WaitOptions): Promise<BlockId | undefined> {
    return seqno <= (await this.head()).seqno ? this.masterchainBlockId(seqno) : waitUntilTimeout(options)
  }

  async masterchainBlockId(seqno: number): Promise<BlockId> {
    const id = await this.packs.masterchainBlockId(seqno)
    if (id) return id
    throw new BlockNotAvailable(formatShortId(masterchainId(seqno)), this.name)
  }

  async getBlock(id: BlockId): Promise<Buffer> {
    const bytes = await this.packs.getBlock(id)
    if (bytes) return bytes
    throw new BlockNotAvailable(formatBlockId(id), this.name)
  }

  async globalVersionAtKeyBlock(keyBlock: BlockId): Promise<number> {
    if (keyBlock.seqno > 0) return globalVersionOfKeyBlock(this, keyBlock)
    const zerostate = await this.getZerostate(keyBlock)
    if (zerostate) return globalVersionOfZerostate(zerostate)
    throw new BlockNotAvailable('masterchain zerostate', this.name, {
      why: 'put its file next to the packages',
    })
  }

  /** Identifies the file by content: names differ between `static`, `archive/states` and recordings. */
  async getZerostate(id: BlockId): Promise<Buffer | undefined> {
    const fileHash = id.fileHash.toString('hex')
    const isNamed = (name: string) =>
      name.startsWith(`zerostate_${id.workchain}`) || name.toLowerCase() === fileHash
    for await (const bytes of this.zerostateFiles(isNamed))
      if (hash('sha256', bytes, 'buffer').equals(id.fileHash)) return bytes
    return undefined
  }

  /** `isNamed` is asked about names without `.gz`. */
  private async *zerostateFiles(isNamed: (name: string) => boolean): AsyncGenerator<Buffer> {
    const { folder, zerostateFolders = [] } = this.options
    const nodeFolders = [folder, join(folder, '../states'), join(folder, '../../static')]
    for (const place of [...zerostateFolders, ...nodeFolders]) {
      const names = await readdir(place).catch(() => [])
      for (const name of names.map((name) => name.replace(/\.gz$/, '')).filter(isNamed)) {
        const bytes = await readMaybeGzipped(join(place, name))
        if (bytes) yield bytes
      }
    }
  }

  blockProof(id: BlockId): Promise<Buffer | undefined> {
    return this.packs.getProof(id)
  }

  close(): Promise<void> {
    return this.packs.close()
  }
}

/** Names of recordings and of nodes, which in `static` are the file hash. */
const ZEROSTATE_FILE = /^(zerostate_|[0-9a-f]{64}$)/i

function readZerostateId(bytes: Buffer): BlockId | undefined {
  try {
    const bag = parseBoc(bytes)
    const { workchain, shard, seqno } = loadShardState(bag.slice(bag.root))
    if (seqno !== 0) return undefined
    return {
      workchain,
      shard,
      seqno,
      rootHash: bag.hash(bag.root),
      fileHash: hash('sha256', bytes, 'buffer'),
    }
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
