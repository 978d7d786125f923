import { decodeObjectAs, encodeAnswer, type LiteCall } from '@shardwalk/tl'
import type { NonfinalFault } from './answers/nonfinal.ts'
import type { ReplayChain } from './chain.ts'

/** Wrong answers for tests of clients. All are off by default and may be changed while the server runs. */
export interface WrongAnswers {
  /** getBlock: one byte of the file is wrong, or the file is that of another real block. */
  readonly block?: 'flipped-byte' | 'other-block'
  /** lookupBlock and getBlockHeader: the id is that of another block, or one byte of the proof is wrong. */
  readonly header?: 'other-id' | 'broken-proof'
  /** Blocks that are not final; see `NonfinalFault`. For all queries. */
  readonly nonfinal?: NonfinalFault
  /** The head is this many blocks behind, and newer blocks are unknown. */
  readonly staleBy?: number
  /** Queries are accepted but never answered. */
  readonly stall?: boolean
  /** Selects the affected queries (the index counts from 0). Default: all. */
  readonly when?: (call: LiteCall, index: number) => boolean
}

/** The wrong answer to a call; undefined to send `answer`, which is correct. */
export async function wrongAnswerTo(
  call: LiteCall,
  answer: Buffer,
  wrongAnswers: WrongAnswers,
  chain: ReplayChain,
): Promise<Buffer | undefined> {
  if (call.name === 'liteServer.getBlock' && wrongAnswers.block)
    return wrongBlock(answer, wrongAnswers.block, chain)
  const isHeader = call.name === 'liteServer.lookupBlock' || call.name === 'liteServer.getBlockHeader'
  return isHeader && wrongAnswers.header ? wrongHeader(answer, wrongAnswers.header, chain) : undefined
}

async function wrongBlock(answer: Buffer, fault: WrongAnswers['block'], chain: ReplayChain): Promise<Buffer> {
  const { id, data } = decodeObjectAs('liteServer.blockData', answer)
  const wrong = fault === 'flipped-byte' ? flipped(data) : await otherBlock(data, chain)
  return encodeAnswer('liteServer.getBlock', { id, data: wrong })
}

async function otherBlock(data: Buffer, chain: ReplayChain): Promise<Buffer> {
  for (const seqno of [chain.recording.first, chain.recording.last]) {
    const other = await chain.bytes(chain.masterchain(seqno))
    if (!other.equals(data)) return other
  }
  return flipped(data)
}

function wrongHeader(answer: Buffer, fault: WrongAnswers['header'], chain: ReplayChain): Buffer {
  const header = decodeObjectAs('liteServer.blockHeader', answer)
  const { rootHash, fileHash } = chain.masterchain(chain.recording.first).id
  const wrong =
    fault === 'other-id'
      ? { ...header, id: { ...header.id, rootHash, fileHash } }
      : { ...header, headerProof: flipped(header.headerProof) }
  return encodeAnswer('liteServer.lookupBlock', wrong)
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[copy.length >> 1]! ^= 1
  return copy
}
