import { hash as digest } from 'node:crypto'
import { BESIDE, type Block, breadthFirst, CALL, GASLESS, keyHash, ROOT } from './core/block.ts'
import type { EventNode } from './core/node.ts'
import type { ActionRow, Columns } from './row.ts'
import { FIRST_ACTION_TYPES } from './supported-types.ts'
import type { Address, Hash, Trace, TraceTransaction } from './trace.ts'

/**
 * Block types whose parts stay hidden, because clients of the first version expect it. All newer types store
 * their parts too, marked with their ancestors.
 */
const CLOSED_BLOCKS: ReadonlySet<string> = new Set([
  ...FIRST_ACTION_TYPES,
  'nominator_pool_deposit',
  'nominator_pool_withdraw_request',
  'tonstakers_deposit',
  'tonstakers_withdraw_request',
  'tonstakers_withdraw',
  'ethena_deposit',
  'ethena_withdrawal_request',
  'dedust_deposit_liquidity',
  'dedust_deposit_liquidity_partial',
  'coffee_deposit_liquidity',
  'hipo_stake_deposit',
  'hipo_stake_withdrawal',
  'hipo_stake_withdrawal_request',
  'dedust_v2_deposit_liquidity',
  'dedust_v2_deposit_liquidity_partial',
  'tonco_deposit_liquidity',
  'tonco_withdraw_liquidity',
])

/** Base64 of SHA-256 over the base64 hash of the block's earliest message and the block type. */
const actionId = (block: Block): Hash => digest('sha256', keyHash(block) + block.type, 'base64')

/**
 * Rows of a finished block tree: parents before children, each followed by its parts, then deployments and
 * gasless requests.
 */
export function writeRows(root: Block, trace: Trace): ActionRow[] {
  const rows: ActionRow[] = []
  const used = new Set<Hash>()
  const surface = breadthFirst(root)
  const beside = [...besideOthers(surface)]
  const ofType = (type: string) => beside.filter((block) => block.type === type)
  const requests = new Map(ofType(GASLESS).map((block) => [block.node, actionId(block)]))
  const write = (block: Block, parentId: Hash | null, ancestors: readonly string[]): void => {
    if (!isVisible(block)) return
    const row = { ...writeRow(block, trace, parentId, ancestors), ...resultOf(block, requests) }
    // A repeated id is the same block again: as its own parent, or as a wrapper of one message.
    if (used.has(row.action_id)) return
    used.add(row.action_id)
    rows.push(row)
    if (CLOSED_BLOCKS.has(block.type)) return
    const around = ancestors.includes(block.type) ? ancestors : [block.type, ...ancestors]
    for (const child of block.children) if (!BESIDE.has(child.type)) write(child, row.action_id, around)
  }
  for (const block of surface) write(block, null, [])
  for (const type of BESIDE) for (const block of ofType(type)) write(block, null, [])
  return rows
}

/** Logs and external-in messages never become actions by themselves. */
function isVisible(block: Block): boolean {
  if (block.type === ROOT) return false
  return block.type !== CALL || (block.source !== null && block.destination !== null)
}

/** Those that stand beside another one, among the blocks and everything that they consist of. */
function* besideOthers(blocks: readonly Block[]): Generator<Block> {
  for (const block of blocks) {
    if (BESIDE.has(block.type)) yield block
    yield* besideOthers(block.children)
  }
}

/**
 * The gasless request that a block immediately follows from: it begins with the request itself, or with what
 * the wallet sent. The call is the request under another name. What follows further down does so from
 * contracts that the wallet called.
 */
function resultOf({ type, node }: Block, requests: ReadonlyMap<EventNode, Hash>) {
  const own = type === GASLESS || type === CALL ? undefined : requests.get(node)
  const request = own ?? (node.parent && requests.get(node.parent))
  return request === undefined ? undefined : { parent_gasless_action: request }
}

/** Columns of every row; detail groups are present only for types that have them. */
const NO_COLUMNS: Columns = {
  source: null,
  source_secondary: null,
  destination: null,
  destination_secondary: null,
  asset: null,
  asset_secondary: null,
  asset2: null,
  asset2_secondary: null,
  opcode: null,
  amount: null,
  value: null,
  value_extra_currencies: {},
}

function writeRow(
  block: Block,
  trace: Trace,
  parentId: Hash | null,
  ancestors: readonly string[],
): ActionRow {
  const columns = block.columns()
  const isGhost = block.nodes.some((node) => node.kind === 'ghost')
  const accounts: (Address | null | undefined)[] = [
    ...block.nodes.map((node) => node.transaction.account),
    columns.source,
    columns.source_secondary,
    ...(isGhost ? [] : [columns.destination, columns.destination_secondary]),
    ...block.initiators.map((node) => node.transaction.account),
    ...block.accounts,
  ]
  return {
    trace_id: trace.traceId,
    action_id: actionId(block),
    type: block.action,
    start_lt: block.minLt,
    end_lt: block.maxLt,
    start_utime: block.minUtime,
    end_utime: block.maxUtime,
    mc_seqno_end: Math.max(...block.nodes.map((node) => node.transaction.mcBlockSeqno)),
    ...traceColumns(trace),
    success: !block.failed,
    tx_hashes: transactionHashes([...block.initiators, ...block.nodes]),
    accounts: uniqueAddresses(accounts),
    parent_action_id: parentId,
    ancestor_type: ancestors,
    ...NO_COLUMNS,
    ...columns,
  }
}

const traceColumns = (trace: Trace) => ({
  trace_end_lt: trace.endLt,
  trace_end_utime: trace.endUtime,
  trace_mc_seqno_end: trace.mcBlockSeqnoEnd,
  trace_external_hash: trace.externalHash,
  trace_external_hash_norm: trace.externalHashNorm,
})

function transactionHashes(nodes: readonly EventNode[]): Hash[] {
  const found = new Map<Hash, TraceTransaction>()
  for (const { transaction } of nodes) found.set(transaction.hash, transaction)
  return byLt([...found.values()]).map(({ hash }) => hash)
}

const byLt = (transactions: TraceTransaction[]): TraceTransaction[] =>
  transactions.sort((a, b) => (a.lt < b.lt ? -1 : a.lt > b.lt ? 1 : a.hash < b.hash ? -1 : 1))

/** Only real addresses: some columns of some types hold other text (Bitcoin transactions, keys). */
const uniqueAddresses = (accounts: readonly (Address | null | undefined)[]): Address[] =>
  [...new Set(accounts.filter((account): account is Address => account?.includes(':') === true))].sort()

/** A row that only records that the trace exists. */
export function unknownRow(trace: Trace): ActionRow {
  const { transactions } = trace
  return {
    trace_id: trace.traceId,
    action_id: trace.traceId,
    type: 'unknown',
    start_lt: trace.startLt,
    end_lt: trace.endLt,
    start_utime: trace.startUtime,
    end_utime: trace.endUtime,
    mc_seqno_end: trace.mcBlockSeqnoEnd,
    ...traceColumns(trace),
    success: !transactions.some(({ aborted }) => aborted),
    tx_hashes: byLt([...transactions]).map(({ hash }) => hash),
    accounts: uniqueAddresses(transactions.map(({ account }) => account)),
    parent_action_id: null,
    ancestor_type: [],
    ...NO_COLUMNS,
  }
}
