import { blockIdExt, toV2Transaction } from '@shardwalk/api-schema'
import { isNotFound, LiteServerError } from '@shardwalk/liteserver'
import { type BlockId, formatBlockId } from '@shardwalk/model'
import type { ListedTransaction, NodeAccess } from '@shardwalk/node-access'
import { LITE_MODE } from '@shardwalk/tl'
import { type BlockQuery, resolveBlock } from './blocks.ts'
import type { V2Handlers } from './handler.ts'
import { ResultRows } from './result-text.ts'

interface ListingQuery extends BlockQuery {
  readonly after_lt?: bigint | undefined
  readonly after_hash?: Buffer | undefined
  readonly count: bigint
}

const PARTS = LITE_MODE.listTransactions
/** The mode that a lite server returns for a listing that starts after a position. */
const LISTING_MODE = PARTS.account | PARTS.lt | PARTS.hash | PARTS.after

interface Listing {
  readonly id: BlockId
  readonly transactions: readonly ListedTransaction[]
  /** The listing stopped at the limit, even if nothing was left, as in tonlib. */
  readonly incomplete: boolean
}

async function list(node: NodeAccess, query: ListingQuery): Promise<Listing> {
  const id = await resolveBlock(node, query)
  const all = await node.blockTransactions.list(id).catch((error: unknown) => {
    throw asOfListing(error, id)
  })
  const from = query.after_hash
    ? all.findIndex((item) => isAfter(item, query.after_hash!, query.after_lt!))
    : 0
  const count = Number(query.count)
  const transactions = from < 0 ? [] : all.slice(from, from + count)
  return { id, transactions, incomplete: transactions.length === count }
}

/** Lite servers refuse a listing in other words than the block, which is what they were asked for. */
function asOfListing(error: unknown, id: BlockId): unknown {
  if (!isNotFound(error)) return error
  const text = `cannot load block ${formatBlockId(id)} : ${error.serverMessage}`
  return new LiteServerError(error.server, 'liteServer.listBlockTransactions', error.serverCode, text)
}

function isAfter({ account, lt }: ListedTransaction, afterAccount: Buffer, afterLt: bigint): boolean {
  const order = account.compare(afterAccount)
  return order > 0 || (order === 0 && lt > afterLt)
}

const frame = ({ id, incomplete }: Listing, { count }: ListingQuery) => ({
  id: blockIdExt(id),
  req_count: Number(count),
  incomplete,
})

export const BLOCK_TRANSACTION_HANDLERS: V2Handlers<'getBlockTransactions' | 'getBlockTransactionsExt'> = {
  async getBlockTransactions(node, query) {
    const listing = await list(node, query)
    return {
      '@type': 'blocks.transactions',
      ...frame(listing, query),
      transactions: new ResultRows(listing.transactions, ({ account, lt, hash }) => ({
        '@type': 'blocks.shortTxId',
        mode: LISTING_MODE,
        account: `${listing.id.workchain}:${account.toString('hex')}`,
        lt: String(lt),
        hash: hash.toString('base64'),
      })),
    }
  },

  async getBlockTransactionsExt(node, query) {
    const listing = await list(node, query)
    return {
      '@type': 'blocks.transactionsExt',
      ...frame(listing, query),
      transactions: new ResultRows(listing.transactions, (item) =>
        toV2Transaction(item.read(), 'raw.transactionExt'),
      ),
    }
  },
}
