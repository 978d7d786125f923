// Worker thread: takes raw batches, returns rows ready for COPY.
import { parentPort } from 'node:worker_threads'
import { decodeBlock } from '@shardwalk/blocks'
import type { ThreadReply, ThreadRequest } from '@shardwalk/concurrency'
import {
  type AccountIdOverrides,
  type EncodedBatch,
  encodeBatch,
  RowEncodeError,
  transferables,
} from '@shardwalk/db/rows'
import {
  type DecodedBlock,
  type DecodedTransaction,
  errorMessage,
  formatBlockId,
  type RawBlock,
} from '@shardwalk/model'
import type { DecodedBatch, RawBatch, UndecodableBlock } from '@shardwalk/pipeline'
import type { LeftOut } from './isolate-failures.ts'
import { restoredAddress, restoredBlock } from './posted.ts'

/** Input of a thread. A Buffer posted between threads arrives as a plain Uint8Array. */
export interface DecodeRequest {
  readonly batch: RawBatch
  readonly overrides?: AccountIdOverrides
  /** Parts that are skipped. */
  readonly without?: readonly LeftOut[]
}

/** What a thread posts back; the caller adds what it has kept. */
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

/** Decodes and encodes a batch. Parts that cannot be encoded are left out in a second attempt. */
function decode({ batch, overrides, without = [] }: DecodeRequest): DecodeResult {
  const leftOut: LeftOut[] = without.map((one) => ({ ...one, account: restoredAddress(one.account) }))
  for (;;)
    try {
      return attempt(batch, { overrides, without: leftOut })
    } catch (error) {
      if (!(error instanceof RowEncodeError) || !error.transaction)
        return nothingOf(batch, errorMessage(error))
      for (const { transaction, message } of [error, ...error.others])
        if (transaction) addFault(leftOut, transaction, message)
    }
}

const NO_MASTERCHAIN_BLOCK = 'its masterchain block cannot be decoded'

function attempt(
  batch: RawBatch,
  { overrides, without }: Required<Pick<DecodeRequest, 'without'>> & Pick<DecodeRequest, 'overrides'>,
): DecodeResult {
  const undecodable: UndecodableBlock[] = []
  const leaveOut = leavingOut(without)
  const read = (raw: RawBlock): DecodedBlock | undefined => {
    // An unreadable block must not stop the chain, so its batch continues without it.
    try {
      return decodeBlock(raw, leaveOut && { leaveOut })
    } catch (error) {
      undecodable.push({ id: formatBlockId(raw.id), error: errorMessage(error) })
      return undefined
    }
  }
  const shards = batch.shards.map((raw) => read(restoredBlock(raw))).filter((block) => block !== undefined)
  const masterchain = read(restoredBlock(batch.masterchain))
  const blocks = masterchain ? [...shards, masterchain] : []
  const { globalVersion } = batch
  const encoded = masterchain && encodeBatch({ masterchain, shards }, { globalVersion, overrides })
  // Rows of shard blocks name the masterchain block, so they are missing as it is.
  if (!masterchain)
    for (const { id } of shards) undecodable.push({ id: formatBlockId(id), error: NO_MASTERCHAIN_BLOCK })
  const unread = blocks.flatMap(({ id, unread: parts = [] }) => parts.map((part) => ({ block: id, part })))
  const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
  // All rows share one memory.
  const size = encoded?.transactions.bytes.buffer.byteLength ?? 0
  return { encoded, undecodable, unread, transactions, size, blocks: blocks.length }
}

/**
 * Leaves out the state first, which is the lesser loss, and the transaction only if it fails without its
 * state.
 */
function addFault(leftOut: LeftOut[], { account, lt, stateAfter }: DecodedTransaction, reason: string): void {
  const state = leftOut.findIndex((one) => one.lt === lt && one.account.hash.equals(account.hash))
  if (state >= 0) leftOut.splice(state, 1)
  leftOut.push({ kind: stateAfter && state < 0 ? 'state' : 'transaction', account, lt, reason })
}

/** A batch in which all blocks are stored as bytes. */
const nothingOf = ({ shards, masterchain }: RawBatch, error: string): DecodeResult => ({
  encoded: undefined,
  unread: [],
  transactions: 0,
  size: 0,
  blocks: 0,
  undecodable: [...shards, masterchain].map((raw) => ({ id: formatBlockId(restoredBlock(raw).id), error })),
})

const keyOf = (kind: string, workchain: number, hash: Buffer, lt: bigint): string =>
  `${kind} ${workchain}:${hash.toString('hex')} ${lt}`

/** Undefined when nothing is left out. */
function leavingOut(without: readonly LeftOut[]) {
  if (without.length === 0) return undefined
  const reasons = new Map(
    without.map(
      ({ kind, account, lt, reason }) => [keyOf(kind, account.workchain, account.hash, lt), reason] as const,
    ),
  )
  return ({ kind, account, lt }: Pick<LeftOut, 'kind' | 'account' | 'lt'>) =>
    reasons.get(keyOf(kind, account.workchain, account.hash, lt))
}
