import { sleep } from '@shardwalk/concurrency'
import { BASECHAIN, type BlockId, FULL_SHARD, IndexerError, RecentMap } from '@shardwalk/model'
import { type Archive, type FullNodeClient, isFalseData, isUnknownForm, NoPeerAnswered } from '@shardwalk/p2p'
import { linkSlice, readSlice, type SliceContents } from './archive-slice.ts'
import { KeptSlices, type Slice } from './kept-slices.ts'
import type { KeyBlocks } from './key-blocks.ts'

/** Archive files downloaded since the start. */
export interface ArchiveCounts {
  slices: number
  bytes: number
  /** Number of files with wrong content. */
  refused: number
}

/** Masterchain blocks of a file. Source: ton-blockchain/ton, validator/db/archive-manager.cpp. */
const BLOCKS = 100
const KEPT = { bytes: 192 << 20, idleMs: 120_000 }
/** Bytes of files that are being downloaded. */
const MAX_HELD = 256 << 20
const WAIT_MS = 50
/** How long a block that no node has in an archive is not requested again. */
const ABSENT_MS = 15_000
const MAX_ABSENT = 1_000
const ATTEMPTS = 4

/** History from the archive files of full nodes; several files are downloaded at a time. */
export class ArchiveSlices {
  readonly counts: ArchiveCounts = { slices: 0, bytes: 0, refused: 0 }
  /** Refused files by code of the error. */
  readonly refusals = new Map<string, number>()
  private readonly slices = new KeptSlices(KEPT)
  private readonly loading = new Map<number, Promise<Slice>>()
  private readonly absent = new RecentMap<number, number>(MAX_ABSENT)
  /** In the order in which they began; bytes. */
  private readonly downloads = new Set<{ held: number }>()

  constructor(
    private readonly client: FullNodeClient,
    private readonly keyBlocks: KeyBlocks,
  ) {}

  /** A block of a file that is loaded. */
  findBlock(id: BlockId): Buffer | undefined {
    return this.slices.findBlock(id)
  }

  findId(seqno: number): BlockId | undefined {
    return this.slices.findId(seqno)
  }

  /** Releases files that are not in use. Must be called regularly. */
  dropIdle(): void {
    this.slices.dropIdle()
  }

  /** Id of a masterchain block from its archive, which is loaded; undefined if no node has it there. */
  async load(seqno: number): Promise<BlockId | undefined> {
    if ((this.absent.get(seqno) ?? 0) > performance.now()) return undefined
    let isAbsent = false
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const known = this.findId(seqno)
      if (known) return known
      await this.running(seqno)?.catch(() => {})
      const id = this.findId(seqno)
      if (id) return id
      const archive = await this.client.findArchive(seqno).catch((error) => {
        // Nodes that did not answer prove nothing, because queries may have been lost.
        isAbsent = error instanceof NoPeerAnswered && error.notFound > 0
      })
      if (!archive) break
      await this.share(archive, seqno).catch(() => {})
    }
    const id = this.findId(seqno)
    if (!id && isAbsent) this.absent.set(seqno, performance.now() + ABSENT_MS)
    return id
  }

  private running(seqno: number): Promise<Slice> | undefined {
    for (const [start, slice] of this.loading) if (start <= seqno && seqno < start + BLOCKS) return slice
    return undefined
  }

  /** Jobs that need neighbouring blocks share one download. */
  private share(archive: Archive, seqno: number): Promise<Slice> {
    const running = this.loading.get(archive.start)
    if (running) return running
    const slice = this.download(archive, seqno).then((loaded) => this.keep(loaded))
    this.loading.set(archive.start, slice)
    const done = () => void this.loading.delete(archive.start)
    slice.then(done, done)
    return slice
  }

  private keep(slice: Slice): Slice {
    this.counts.slices++
    this.slices.add(slice)
    return slice
  }

  private async download(archive: Archive, seqno: number): Promise<Slice> {
    const pieces = this.piecesOf(archive)
    try {
      const contents = await readSlice(pieces)
      const linked = await linkSlice(contents, (block) => this.keyBlocks.prove(block))
      const shards = contents.hasShardBlocks ? undefined : await this.shardBlocks(seqno)
      return {
        start: archive.start,
        ids: new Map(linked.map((id) => [id.seqno, id])),
        blocks: shards ? new Map([...contents.blocks, ...shards.blocks]) : contents.blocks,
        size: contents.size + (shards?.size ?? 0),
      }
    } catch (error) {
      // A node that stops answering has not sent anything false.
      if (error instanceof NoPeerAnswered) throw error
      this.counts.refused++
      const code = error instanceof IndexerError ? error.code : 'other'
      this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1)
      blame(archive, error)
      throw error
    }
  }

  /** Newer nodes keep shard blocks in files of their own. Without them blocks are asked for one by one. */
  private async shardBlocks(seqno: number): Promise<SliceContents | undefined> {
    const shard = { workchain: BASECHAIN, shard: FULL_SHARD }
    const archive = await this.client.findArchive(seqno, shard).catch(() => undefined)
    if (!archive) return undefined
    try {
      return await readSlice(this.piecesOf(archive))
    } catch (error) {
      blame(archive, error)
      return undefined
    }
  }

  /** The file in pieces. While much memory is in use, only the oldest download continues. */
  private async *piecesOf(archive: Archive): AsyncGenerator<Buffer> {
    const download = { held: 0 }
    this.downloads.add(download)
    try {
      for await (const piece of archive.pieces()) {
        download.held += piece.length
        this.counts.bytes += piece.length
        yield piece
        while (this.held > MAX_HELD && [...this.downloads][0] !== download) await sleep(WAIT_MS)
      }
    } finally {
      this.downloads.delete(download)
    }
  }

  private get held(): number {
    return [...this.downloads].reduce((sum, { held }) => sum + held, 0)
  }
}

function blame(archive: Archive, error: unknown): void {
  if (isFalseData(error)) archive.refuse()
  else if (isUnknownForm(error)) archive.postpone()
}
