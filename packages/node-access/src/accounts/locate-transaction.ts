import { LiteServerError } from '@shardwalk/liteserver'
import {
  type BlockId,
  type DecodedMessage,
  FULL_SHARD,
  MASTERCHAIN,
  type RawAddress,
  type ShortBlockId,
  sameAddress,
  shardContainsPrefix,
} from '@shardwalk/model'
import type { InternalMessage } from '@shardwalk/queries'
import { LITE_ERROR } from '@shardwalk/tl'
import type { ChainTransaction } from '../blocks/block-transactions.ts'
import { NodeAccessError } from '../errors.ts'
import type { NodeAccess } from '../node-access.ts'
import type { TransactionPlace } from './accounts.ts'

/** Maximum number of blocks of the destination's shard that are searched. */
const MAX_BLOCKS = 16

/**
 * The transaction started by a message: from the database, or by searching the destination's shard from the
 * message's lt onwards.
 */
export async function locateResult(node: NodeAccess, message: InternalMessage): Promise<ChainTransaction> {
  const { destination, createdLt } = message
  const known = await fetchIndexed(node, destination, await node.index.resultOf(message))
  if (known && receives(known, message)) return known
  let id = await blockAt(node, destination, createdLt)
  for (let i = 0; i < MAX_BLOCKS; i++) {
    const own = await transactionsOf(node, id, destination)
    const found = own.find((transaction) => receives(transaction, message))
    if (found) return found
    id = await nextBlock(node, id, destination)
  }
  throw notFound()
}

/**
 * The transaction that sent a message: from the database, or from the block that contains the message's lt in
 * the shard of the source.
 */
export async function locateSource(node: NodeAccess, message: InternalMessage): Promise<ChainTransaction> {
  const { source, createdLt } = message
  const known = await fetchIndexed(node, source, await node.index.sourceOf(message))
  if (known && sends(known, message)) return known
  const own = await transactionsOf(node, await blockAt(node, source, createdLt), source)
  const found = own.find((transaction) => sends(transaction, message))
  if (!found) throw notFound()
  return found
}

const notFound = () => new NodeAccessError('transaction_not_found', 'transaction not found')

const receives = ({ transaction }: ChainTransaction, wanted: InternalMessage): boolean =>
  transaction.inMsg !== undefined && isWanted(transaction.inMsg, wanted)

const sends = ({ transaction }: ChainTransaction, wanted: InternalMessage): boolean =>
  transaction.outMsgs.some((message) => isWanted(message, wanted))

const isWanted = (message: DecodedMessage, { source, destination, createdLt }: InternalMessage): boolean =>
  message.createdLt === createdLt &&
  message.source !== undefined &&
  message.destination !== undefined &&
  sameAddress(message.source, source) &&
  sameAddress(message.destination, destination)

/** The transaction that the database named; undefined when no lite server has it. */
async function fetchIndexed(
  { accounts }: NodeAccess,
  account: RawAddress,
  place: TransactionPlace | undefined,
): Promise<ChainTransaction | undefined> {
  if (!place) return undefined
  const chunk = await accounts.transactions(account, { ...place, count: 1 }).catch(() => undefined)
  return chunk?.[0]
}

/** The block of the account's shard at that logical time. Not found if that is beyond the head. */
async function blockAt(node: NodeAccess, account: RawAddress, lt: bigint): Promise<BlockId> {
  const { workchain, hash } = account
  const shard = workchain === MASTERCHAIN ? FULL_SHARD : hash.readBigUInt64BE(0) | 1n
  const id = { workchain, shard, seqno: 0 }
  try {
    return await node.blocks.lookup(id, { lt })
  } catch (error) {
    if (!(error instanceof LiteServerError) || error.serverCode !== LITE_ERROR.notReady) throw error
    if (await isBeyondHead(node, id, lt)) throw notFound()
    // The block has appeared since, or it was deleted, which the refusal says.
    return node.blocks.lookup(id, { lt })
  }
}

async function isBeyondHead({ shards, blocks }: NodeAccess, id: ShortBlockId, lt: bigint): Promise<boolean> {
  try {
    const { header } = await blocks.header(await shards.newestTop(id))
    return header.endLt < lt
  } catch (error) {
    // A workchain without shards has no transactions either.
    if (error instanceof NodeAccessError && error.code === 'no_such_shard') return true
    throw error
  }
}

async function transactionsOf(
  { blockTransactions }: NodeAccess,
  id: BlockId,
  account: RawAddress,
): Promise<readonly ChainTransaction[]> {
  const all = await blockTransactions.list(id)
  return all.filter((item) => item.account.equals(account.hash)).map((item) => item.read())
}

/**
 * The next block whose shard contains the account, across splits and merges: the first one that ends after
 * this one.
 */
async function nextBlock(node: NodeAccess, id: BlockId, account: RawAddress): Promise<BlockId> {
  const { header } = await node.blocks.header(id)
  const next = await blockAt(node, account, header.endLt + 1n)
  if (next.seqno <= id.seqno || !shardContainsPrefix(next.shard, account.hash.readBigUInt64BE(0)))
    throw notFound()
  return next
}
