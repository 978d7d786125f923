import { type TransactionSource, toV2Transaction, type V2Address } from '@shardwalk/api-schema'
import { LiteServerError } from '@shardwalk/liteserver'
import {
  type BlockId,
  type DecodedMessage,
  FULL_SHARD,
  MASTERCHAIN,
  type RawAddress,
  sameAddress,
  shardContainsPrefix,
} from '@shardwalk/model'
import type { TransactionPlace } from '@shardwalk/node-access'
import type { V2Context, V2Handlers } from './context.ts'
import { failure } from './failures.ts'
import { readChunk } from './transactions.ts'

interface LocateQuery {
  readonly source: V2Address
  readonly destination: V2Address
  readonly created_lt: bigint
}

/** Blocks of the destination's shard that are looked through. */
const MAX_BLOCKS = 16

const nothing = () => failure(404, 'transaction not found')

const isWanted = ({ source, destination, created_lt }: LocateQuery, message: DecodedMessage): boolean =>
  message.createdLt === created_lt &&
  message.source !== undefined &&
  message.destination !== undefined &&
  sameAddress(message.source, source) &&
  sameAddress(message.destination, destination)

/** The block in which the account's shard was at that logical time. */
async function blockAt({ chain }: V2Context, account: RawAddress, lt: bigint): Promise<BlockId> {
  const prefix = account.hash.readBigUInt64BE(0) | 1n
  try {
    const shard = account.workchain === MASTERCHAIN ? FULL_SHARD : prefix
    return await chain.lookup({ workchain: account.workchain, shard, seqno: 0 }, { lt })
  } catch (error) {
    // Beyond the head nothing has happened yet; before the first block nothing ever did.
    if (error instanceof LiteServerError && error.serverCode === 651) throw nothing()
    throw error
  }
}

async function transactionsOf(
  context: V2Context,
  id: BlockId,
  account: RawAddress,
): Promise<readonly TransactionSource[]> {
  const all = await context.blocks.transactions(id)
  return all.filter((item) => item.account.equals(account.hash)).map((item) => item.read())
}

const receives =
  (query: LocateQuery) =>
  ({ transaction }: TransactionSource): boolean =>
    transaction.inMsg !== undefined && isWanted(query, transaction.inMsg)

const sends =
  (query: LocateQuery) =>
  ({ transaction }: TransactionSource): boolean =>
    transaction.outMsgs.some((message) => isWanted(query, message))

/** The transaction that the index names, from a lite server; undefined when it is not there or another one than wanted. */
async function fetchIndexed(
  { chain }: V2Context,
  account: RawAddress,
  place: TransactionPlace | undefined,
): Promise<TransactionSource | undefined> {
  if (!place) return undefined
  const chunk = await chain.transactions(account, { ...place, count: 1 }).catch(() => undefined)
  return chunk && readChunk(chunk, account.workchain)[0]
}

const messageOf = ({ source, destination, created_lt: createdLt }: LocateQuery) => ({
  source,
  destination,
  createdLt,
})

/** From the index, or by a walk of the destination's shard chain forward from the time of the message. */
async function locateResult(context: V2Context, query: LocateQuery): Promise<TransactionSource> {
  const { destination, created_lt } = query
  const known = await fetchIndexed(context, destination, await context.index.resultOf(messageOf(query)))
  if (known && receives(query)(known)) return known
  let id = await blockAt(context, destination, created_lt)
  for (let i = 0; i < MAX_BLOCKS; i++) {
    const own = await transactionsOf(context, id, destination)
    const found = own.find(receives(query))
    if (found) return found
    id = await nextBlock(context, id, destination)
  }
  throw nothing()
}

/** The next block that holds the account, over splits and merges: the first one that ends after this one. */
async function nextBlock(context: V2Context, id: BlockId, account: RawAddress): Promise<BlockId> {
  const { header } = await context.chain.header(id)
  const next = await blockAt(context, account, header.endLt + 1n)
  const prefix = account.hash.readBigUInt64BE(0)
  if (next.seqno <= id.seqno || !shardContainsPrefix(next.shard, prefix)) throw nothing()
  return next
}

/** A message is created in the block, and by the transaction, that goes before its lt. */
async function locateSource(context: V2Context, query: LocateQuery): Promise<TransactionSource> {
  const known = await fetchIndexed(context, query.source, await context.index.sourceOf(messageOf(query)))
  if (known && sends(query)(known)) return known
  const id = await blockAt(context, query.source, query.created_lt)
  const own = await transactionsOf(context, id, query.source)
  const found = own.find(sends(query))
  if (!found) throw nothing()
  return found
}

const shown = async (source: Promise<TransactionSource>) => toV2Transaction(await source, 'ext.transaction')

export const LOCATE_HANDLERS: V2Handlers<'tryLocateTx' | 'tryLocateResultTx' | 'tryLocateSourceTx'> = {
  tryLocateTx: (context, query) => shown(locateResult(context, query)),
  tryLocateResultTx: (context, query) => shown(locateResult(context, query)),
  tryLocateSourceTx: (context, query) => shown(locateSource(context, query)),
}
