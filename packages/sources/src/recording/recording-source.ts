import { type BlockId, formatBlockId, formatShortId, masterchainId } from '@shardwalk/model'
import { BlockNotAvailable, type BlockSource, type WaitOptions } from '@shardwalk/pipeline'
import { globalVersionOfKeyBlock, globalVersionOfZerostate } from '../global-version.ts'
import { waitUntilTimeout } from '../wait-until-timeout.ts'
import type { RecordedStep } from './format.ts'
import type { ProofSource } from './record-proofs.ts'
import type { Recording } from './recording.ts'

/** Reads a recorded chain from its files. The head is the end of the recording. */
export class RecordingSource implements BlockSource, ProofSource {
  readonly name = 'recording'

  constructor(private readonly recording: Recording) {}

  async zerostateId(): Promise<BlockId> {
    return this.recording.network.zerostate
  }

  async head(): Promise<BlockId> {
    return this.step(this.recording.last).block.id
  }

  async waitForMasterchain(seqno: number, options: WaitOptions): Promise<BlockId | undefined> {
    return seqno <= this.recording.last ? this.step(seqno).block.id : waitUntilTimeout(options)
  }

  async masterchainBlockId(seqno: number): Promise<BlockId> {
    return this.step(seqno).block.id
  }

  private step(seqno: number): RecordedStep {
    const step = this.recording.step(seqno)
    if (step) return step
    throw new BlockNotAvailable(formatShortId(masterchainId(seqno)), this.name)
  }

  async getBlock(id: BlockId): Promise<Buffer> {
    const block = this.recording.find(id)
    if (block) return this.recording.read(block)
    throw new BlockNotAvailable(formatBlockId(id), this.name)
  }

  async globalVersionAtKeyBlock(keyBlock: BlockId): Promise<number> {
    if (keyBlock.seqno > 0) return globalVersionOfKeyBlock(this, keyBlock)
    const zerostate = await this.getZerostate(keyBlock)
    if (zerostate) return globalVersionOfZerostate(zerostate)
    throw new BlockNotAvailable('masterchain zerostate', this.name)
  }

  getZerostate(id: BlockId): Promise<Buffer | undefined> {
    return this.recording.zerostate(id)
  }

  blockProof(id: BlockId): Promise<Buffer | undefined> {
    return this.recording.proof(id)
  }

  close(): Promise<void> {
    return this.recording.close()
  }
}
