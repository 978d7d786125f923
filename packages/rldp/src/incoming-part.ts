import { BlockAssembly, type RestoreBlock } from '@shardwalk/raptorq'
import { Confirmation } from './confirmation.ts'
import { TransferFailed } from './errors.ts'
import { SYMBOL_SIZE } from './shape.ts'

/** One part of a transfer as it arrives. */
export class IncomingPart {
  readonly confirmation = new Confirmation()
  private readonly assembly: BlockAssembly

  constructor(dataSize: number) {
    this.assembly = new BlockAssembly({ dataSize, symbolSize: SYMBOL_SIZE })
  }

  /** Bytes that it holds at most. */
  static memoryOf(dataSize: number): number {
    return BlockAssembly.memoryOf({ dataSize, symbolSize: SYMBOL_SIZE })
  }

  /** Records a symbol; false if it is there already. Throws `TransferFailed` beyond what any part needs. */
  add(seqno: number, symbol: Buffer, now: number): boolean {
    if (!this.confirmation.add(seqno, now)) return false
    if (this.assembly.add(seqno, symbol)) return true
    throw new TransferFailed('a part cannot be restored from surplus symbols')
  }

  get isPromising(): boolean {
    return this.assembly.isPromising
  }

  /** The bytes of the part; undefined if more symbols are needed. */
  restore(restoreBlock: RestoreBlock): Promise<Buffer | undefined> {
    return this.assembly.restore(restoreBlock)
  }
}
