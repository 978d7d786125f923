// Worker thread: raw batch in, rows ready for COPY out.
import { parentPort } from 'node:worker_threads'
import { decodeBlock } from '@shardwalk/blocks'
import type { ThreadReply, ThreadRequest } from '@shardwalk/concurrency'
import { type AccountIdOverrides, type EncodedBatch, encodeBatch, transferables } from '@shardwalk/db/rows'
import { type BlockId, type DecodedBlock, DecodeError, formatBlockId, type RawBlock } from '@shardwalk/model'
import type { DecodedBatch, RawBatch, UndecodableBlock } from '@shardwalk/pipeline'

/** What a thread is given: posting a Buffer between threads makes a plain Uint8Array of it. */
export interface DecodeRequest {
  readonly batch: RawBatch
  readonly overrides?: AccountIdOverrides
}

export type DecodeResult = Omit<DecodedBatch<EncodedBatch>, 'mcBlockSeqno' | 'raw'>

parentPort!.on('message', ({ task, payload }: ThreadRequest) => {
  let reply: ThreadReply
  let moved: ArrayBuffer[] = []
  try {
    const result = decode(payload as DecodeRequest)
    moved = result.encoded ? transferables(result.encoded) : []
    reply = { task, result }
  } catch (error) {
    reply = { task, error: error instanceof Error ? error : new Error(String(error)) }
  }
  parentPort!.postMessage(reply, moved)
})

function decode({ batch, overrides }: DecodeRequest): DecodeResult {
  const undecodable: UndecodableBlock[] = []
  const read = (raw: RawBlock) => tryDecode(restored(raw), undecodable)
  const shards = batch.shards.map(read).filter((block) => block !== undefined)
  const masterchain = read(batch.masterchain)
  const blocks = masterchain ? [...shards, masterchain] : shards
  const encoded: EncodedBatch | undefined =
    masterchain && encodeBatch({ masterchain, shards }, { globalVersion: batch.globalVersion, overrides })
  const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
  return { encoded, undecodable, transactions, blocks: blocks.length }
}

/** A block that cannot be read must not stop the chain: it is named, and its batch goes on without it. */
function tryDecode(raw: RawBlock, undecodable: UndecodableBlock[]): DecodedBlock | undefined {
  try {
    const block = decodeBlock(raw)
    if (block.unread) throw new DecodeError(formatBlockId(raw.id), block.unread[0]!.reason)
    return block
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    undecodable.push({ id: formatBlockId(raw.id), error: error.message })
    return undefined
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function restored({ id, bytes }: RawBlock): RawBlock {
  const buffers: BlockId = { ...id, rootHash: asBuffer(id.rootHash), fileHash: asBuffer(id.fileHash) }
  return { id: buffers, bytes: asBuffer(bytes) }
}
