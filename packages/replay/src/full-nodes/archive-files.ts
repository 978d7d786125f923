import { type BlockId, RecentMap } from '@shardwalk/model'
import { encodeEntry, encodePackHeader, type RecordedBlock, type Recording } from '@shardwalk/sources'

/** Masterchain blocks of one archive file. Source: ton-blockchain/ton, validator/db/archive-manager.cpp. */
const BLOCKS = 100
const KEPT = 2

/** What a file holds: nodes had shard blocks in the file of the masterchain; newer ones have two files. */
export type ArchiveKind = 'all' | 'masterchain' | 'shards'

/** A recorded chain as the archive files that nodes send. */
export class ArchiveFiles {
  private readonly files = new RecentMap<string, Promise<Buffer>>(KEPT)

  constructor(private readonly recording: Recording) {}

  /** First masterchain block of the file that holds `seqno`; undefined if it is not complete at `head`. */
  startOf(seqno: number, head: number): number | undefined {
    const { first } = this.recording
    if (seqno < first || seqno > head) return undefined
    return first + Math.floor((seqno - first) / BLOCKS) * BLOCKS
  }

  /** The file that begins with masterchain block `start`, up to `head`. */
  read(start: number, head: number, kind: ArchiveKind): Promise<Buffer> {
    const isComplete = start + BLOCKS - 1 <= head
    const name = `${kind} ${start}`
    const known = this.files.get(name)
    if (known && isComplete) return known
    const file = this.build(start, Math.min(head, start + BLOCKS - 1), kind)
    if (isComplete) this.files.set(name, file)
    return file
  }

  private async build(start: number, end: number, kind: ArchiveKind): Promise<Buffer> {
    const parts = [encodePackHeader()]
    for (let seqno = start; seqno <= end; seqno++) {
      const step = this.recording.step(seqno)
      if (!step) break
      if (kind !== 'masterchain') for (const block of step.shards) parts.push(...(await this.entry(block)))
      if (kind === 'shards') continue
      parts.push(...(await this.entry(step.block)))
      const proof = await this.recording.proof(step.block.id)
      if (proof) parts.push(...encodeEntry('proof', step.block.id, proof))
    }
    return Buffer.concat(parts)
  }

  private async entry(block: RecordedBlock): Promise<readonly Buffer[]> {
    return encodeEntry('block', block.id as BlockId, await this.recording.read(block))
  }
}
