import { formatShard, shardFromSigned } from '@shardwalk/model'
import {
  type BlocksView,
  type BlockView,
  type Flow,
  joinNames,
  OF_MASTERCHAIN,
  type TraceView,
  type TransactionView,
} from '@shardwalk/pages'
import { HttpError } from '../http/errors.ts'
import { type ExplorerRequest, hashOfPath, ROWS } from './explorer-request.ts'

const notIndexed = (what: string): HttpError =>
  new HttpError(404, `this ${what} is not indexed, or does not exist`)

/** A transaction and its neighbours. Throws `HttpError` 404. */
export async function readTransaction(asked: ExplorerRequest, hash: string): Promise<TransactionView> {
  const { reply } = await asked.ask('transactions', { hash, limit: 1 })
  const transaction = reply.transactions[0]
  if (!transaction) throw notIndexed('transaction')
  const beside = await asked.find('adjacentTransactions', { hash })
  const around = beside?.transactions ?? []
  const received = transaction.in_msg?.hash
  return {
    transaction,
    parent: around.find(({ out_msgs: sent }) => sent.some((message) => message.hash === received)),
    children: around,
    names: joinNames(asked.testOnly, [reply, beside]),
  }
}

/** A trace with its actions and balance changes. Throws `HttpError` 404. */
export async function readTrace(asked: ExplorerRequest, hash: string): Promise<TraceView> {
  // The actions say how large it is.
  const traces = await asked.find('traces', { trace_id: hash, limit: 1, include_actions: 'true' })
  const found = traces?.traces[0] ?? (await traceOf(asked, hash))
  if (!found) throw notIndexed('trace')
  const root = rootOf(asked)
  if (root !== undefined && found.transactions && !(root in found.transactions))
    throw new HttpError(404, 'the transaction that root names is not part of this trace')
  const id = found.trace_id
  const changes = id === null ? undefined : await asked.find('balanceChanges', { trace_id: id })
  return {
    trace: found,
    from: { root, skip: numberOf(asked, 'skip') },
    skipped: { actions: numberOf(asked, 'actions'), flow: numberOf(asked, 'flow') },
    actions: found.actions ?? [],
    flow: flowOf(changes),
    names: joinNames(asked.testOnly, [traces]),
  }
}

/** The transaction from which on the tree is drawn. */
function rootOf(asked: ExplorerRequest): string | undefined {
  const root = asked.parameter('root')
  return root === undefined ? undefined : Buffer.from(hashOfPath(root), 'hex').toString('base64')
}

/** Rows that are on earlier pages. Throws `HttpError` 422. */
function numberOf(asked: ExplorerRequest, name: string): number {
  const given = asked.parameter(name) ?? '0'
  if (/^\d{1,6}$/.test(given)) return Number(given)
  throw new HttpError(422, `wrong value for parameter "${name}": expected a number of rows to skip`)
}

/** The trace of a transaction or message. */
async function traceOf(asked: ExplorerRequest, hash: string) {
  for (const parameter of ['tx_hash', 'msg_hash']) {
    const reply = await asked.find('traces', { [parameter]: hash, limit: 1, include_actions: 'true' })
    if (reply?.traces[0]) return reply.traces[0]
  }
  return undefined
}

interface Changes {
  readonly changes: Readonly<Record<string, number>> | null
  readonly fees: Readonly<Record<string, number>> | null
  readonly jettons: Readonly<Record<string, Readonly<Record<string, string>>>> | null
}

function flowOf(found: Changes | undefined): Flow[] {
  const { changes, fees, jettons } = found ?? { changes: null, fees: null, jettons: null }
  const accounts = new Set([changes, fees, jettons].flatMap((part) => Object.keys(part ?? {})))
  return [...accounts].map((account) => ({
    account,
    change: String(changes?.[account] ?? 0),
    fees: String(fees?.[account] ?? 0),
    jettons: Object.entries(jettons?.[account] ?? {}).map(([master, amount]) => ({ master, amount })),
  }))
}

/** A block and its transactions, page by page. Throws `HttpError` 404. */
export async function readBlock(
  asked: ExplorerRequest,
  place: { readonly workchain: number; readonly shard: string; readonly seqno: number },
): Promise<BlockView> {
  const { reply } = await asked.ask('blocks', { ...place, limit: 1 })
  const block = reply.blocks[0]
  if (!block) throw notIndexed('block')
  const { cursor, sort } = asked.listing
  const listed = await asked.ask('transactions', { ...place, limit: ROWS, cursor, sort })
  const isMasterchain = place.workchain === OF_MASTERCHAIN.workchain
  const shards = isMasterchain
    ? await asked.find('masterchainBlockShards', { seqno: place.seqno, limit: 256 })
    : undefined
  return {
    block,
    transactions: { rows: listed.reply.transactions, next: listed.next },
    pager: asked.pager(asked.path, listed.next, `/api/v3/transactions?${query(place)}`),
    committed: shards?.blocks.filter(({ workchain }) => workchain !== OF_MASTERCHAIN.workchain),
    following: await readFollowing(asked, place, block.end_lt),
    names: joinNames(asked.testOnly, [listed.reply]),
  }
}

const query = (parameters: Readonly<Record<string, string | number>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

/** The next block of the shard, of the shard it was merged into, or of the two it was split into. */
async function readFollowing(
  asked: ExplorerRequest,
  { workchain, shard, seqno }: { readonly workchain: number; readonly shard: string; readonly seqno: number },
  endLt: string,
) {
  const id = BigInt(`0x${shard}`)
  const low = id & -id
  const half = low >> 1n
  const parent = (id & ~low) | (low << 1n)
  const shards = [id, ...(half > 0n ? [id - half, id + half] : [])]
  const found = await Promise.all([
    ...shards.map((one) =>
      asked.find('blocks', { workchain, shard: hexOf(one), seqno: seqno + 1, limit: 1 }),
    ),
    ...(low < 1n << 63n
      ? [asked.find('blocks', { ...mergedAfter(endLt), workchain, shard: hexOf(parent) })]
      : []),
  ])
  const previous = (one: { readonly shard: string; readonly seqno: number }) =>
    one.seqno === seqno && BigInt(`0x${one.shard}`) === id
  return found.flatMap((one) => one?.blocks ?? []).filter(({ prev_blocks: before }) => before.some(previous))
}

/** Logical time within which two shards that are to merge have done so: a hundred blocks. */
const MERGE_LT = 100_000_000n

/** A merged block follows the greater of two seqnos, so it is looked up by logical time. */
const mergedAfter = (lt: string) => ({
  start_lt: lt,
  end_lt: String(BigInt(lt) + MERGE_LT),
  sort: 'asc',
  limit: 1,
})

const hexOf = (shard: bigint): string => formatShard(shardFromSigned(shard))

/** Masterchain blocks, page by page. */
export async function readBlocks(asked: ExplorerRequest): Promise<BlocksView> {
  const { reply, next } = await asked.ask('blocks', {
    workchain: OF_MASTERCHAIN.workchain,
    limit: ROWS,
    ...asked.listing,
  })
  return {
    blocks: { rows: reply.blocks, next },
    pager: asked.pager(asked.path, next, '/api/v3/blocks?workchain=-1'),
  }
}
