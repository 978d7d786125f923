import type { BlockId } from '@shardwalk/model'
import { encodeEntry, encodePackHeader, type RecordedBlock, type Recording } from '@shardwalk/sources'

/** Masterchain blocks of one archive file. Source: ton-blockchain/ton, validator/db/archive-manager.cpp. */
const BLOCKS = 100
const KEPT = 2

/** A recorded chain as the archive files that nodes send. Shard blocks are in the file of the masterchain. */
export class ArchiveFiles {
  private readonly files = new Map<number, Promise<Buffer>>()

  constructor(private readonly recording: Recording) {}

  /** First masterchain block of the file that holds `seqno`; undefined if it is not complete at `head`. */
  startOf(seqno: number, head: number): number | undefined {
    const { first } = this.recording
    if (seqno < first || seqno > head) return undefined
    return first + Math.floor((seqno - first) / BLOCKS) * BLOCKS
  }

  /** The file that begins with masterchain block `start`, up to `head`. */
  read(start: number, head: number): Promise<Buffer> {
    const isComplete = start + BLOCKS - 1 <= head
    const known = this.files.get(start)
    if (known && isComplete) return known
    const file = this.build(start, Math.min(head, start + BLOCKS - 1))
    if (isComplete) this.keep(start, file)
    return file
  }

  private keep(start: number, file: Promise<Buffer>): void {
    const [oldest] = this.files.keys()
    if (oldest !== undefined && this.files.size >= KEPT) this.files.delete(oldest)
    this.files.set(start, file)
  }

  private async build(start: number, end: number): Promise<Buffer> {
    const parts = [encodePackHeader()]
    for (let seqno = start; seqno <= end; seqno++) {
      const step = this.recording.step(seqno)
      if (!step) break
      for (const block of [...step.shards, step.block]) parts.push(...(await this.entry(block)))
      const proof = await this.recording.proof(step.block.id)
      if (proof) parts.push(...encodeEntry('proof', step.block.id, proof))
    }
    return Buffer.concat(parts)
  }

  private async entry(block: RecordedBlock): Promise<readonly Buffer[]> {
    return encodeEntry('block', block.id as BlockId, await this.recording.read(block))
  }
}
