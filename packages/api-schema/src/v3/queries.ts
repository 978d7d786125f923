import * as z from 'zod'
import { listOf, optional, pageLimit, required, withDefault } from '../parameters.ts'
import { InvalidQuery } from '../read-query.ts'
import {
  addressKind,
  booleanKind,
  cursorKind,
  directionKind,
  hashKind,
  int32Kind,
  limitKind,
  looseDirectionKind,
  looseHashKind,
  ltKind,
  mcSeqnoKind,
  nullableAddressKind,
  offsetKind,
  opcodeKind,
  seqnoKind,
  shardKind,
  sortKind,
  utimeKind,
} from '../value-kinds.ts'

/*
 * Each schema reads a query string by `readQuery`, which throws `InvalidQuery`. Values of its parameters are
 * as in ../value-kinds.ts: hashes are 32 bytes, times Unix seconds, lt and amounts bigint.
 */

/** Rows of a page that names no `limit`, and the most that it may name. */
export const DEFAULT_LIMIT = 10
const MAX_LIMIT = 1000
const MAX_LIST = 1000
/** Only addresses and hashes may also be separated by commas. */
export const REPEATED = { commas: false }
/** TON Center compares with the empty text. */
const EMPTY_MATCHES_NOTHING = { emptyMatchesNothing: true }

/** Parameters of every list: `cursor` goes on where a page ended, `offset` reads and drops what it skips. */
export const page = {
  limit: pageLimit(limitKind(MAX_LIMIT), DEFAULT_LIMIT),
  offset: withDefault(offsetKind, 0, 'Number of rows to skip, behind `cursor` if it is given.'),
  cursor: optional(cursorKind, 'Where to continue: the header `X-Next-Cursor` of the previous reply.'),
}

/** The parameter `sort`; `what`: its description, which names the order. */
export const sorted = (what: string) => ({ sort: withDefault(sortKind, 'desc', what) })

/** Bounds, both inclusive: on the time in Unix seconds and on a logical time, which descriptions name. */
export const window = (rows: string, ltOf: string) => ({
  start_utime: optional(utimeKind, `Only ${rows} at this time or later.`),
  end_utime: optional(utimeKind, `Only ${rows} at this time or earlier.`),
  start_lt: optional(ltKind, `Only ${rows} with ${ltOf} >= this.`),
  end_lt: optional(ltKind, `Only ${rows} with ${ltOf} <= this.`),
})

const block = {
  workchain: optional(int32Kind, 'Workchain of the block.'),
  shard: optional(shardKind, 'Shard of the block. Requires `workchain`.'),
  seqno: optional(seqnoKind, 'Seqno of the block. Requires `workchain` and `shard`.'),
}

interface BlockFilter {
  readonly workchain?: number | undefined
  readonly shard?: bigint | undefined
  readonly seqno?: number | undefined
}

/**
 * A shard identifies a block only together with its workchain, a seqno only together with its shard. Throws
 * `InvalidQuery`.
 */
export function requireWholeBlock({ workchain, shard, seqno }: BlockFilter): void {
  if (seqno !== undefined && (workchain === undefined || shard === undefined))
    throw new InvalidQuery('`seqno` requires both `workchain` and `shard`')
  if (shard !== undefined && workchain === undefined) throw new InvalidQuery('`shard` requires `workchain`')
}

const mcBlockSeqno = required(mcSeqnoKind, 'Seqno of the masterchain block.')

/** `/masterchainInfo`: no parameters. */
export const MasterchainInfoQuery = z.object({})

/** `/blocks`. The profile decides whether `requireWholeBlock` also checks the query. */
export const BlocksQuery = z.object({
  ...block,
  root_hash: optional(hashKind, 'Root hash of the block.'),
  file_hash: optional(hashKind, 'File hash of the block.'),
  mc_seqno: optional(seqnoKind, 'Only this masterchain block and the blocks it commits.'),
  ...window('blocks', 'start_lt'),
  ...page,
  ...sorted('Sort order by time.'),
})

/** `/masterchainBlockShardState`: the frontier as of a masterchain block. */
export const ShardStateQuery = z.object({ seqno: mcBlockSeqno, ...page })

/** `/masterchainBlockShards`: the masterchain block itself and the blocks that it commits. */
export const BlockShardsQuery = z.object({ seqno: mcBlockSeqno, ...page, ...sorted('Sort order by time.') })

/** TON Center reads these and those of messages on both endpoints, though it documents them on one each. */
const transactions = {
  ...block,
  mc_seqno: optional(seqnoKind, 'Only transactions of blocks that this masterchain block commits.'),
  account: listOf(addressKind, MAX_LIST, 'Only transactions of these accounts.', EMPTY_MATCHES_NOTHING),
  exclude_account: listOf(addressKind, MAX_LIST, 'Omit transactions of these accounts.'),
  hash: listOf(hashKind, MAX_LIST, 'Hashes of transactions.'),
  lt: optional(ltKind, 'Logical time of the transaction.'),
  ...window('transactions', '`lt`'),
}

const ofMessage = {
  msg_hash: listOf(hashKind, MAX_LIST, 'Hash or normalised hash of the message.'),
  body_hash: optional(hashKind, "Hash of the message's body."),
  opcode: optional(opcodeKind, 'First 32 bits of the body. Matches received messages only.'),
  direction: optional(
    directionKind,
    '`in`: transactions that received the message; `out`: those that sent it. Default: both.',
  ),
  source: optional(nullableAddressKind, 'Sender of the message. `null` matches external inbound messages.'),
  destination: optional(
    nullableAddressKind,
    'Destination of the message. `null` matches external outbound messages.',
  ),
}

const byLtOrTime = sorted('Sort order by `lt`, or by time and `lt` if a time bound is given.')

/** `/transactions`. The profile decides whether `requireWholeBlock` also checks the query. */
export const TransactionsQuery = z.object({ ...transactions, ...ofMessage, ...page, ...byLtOrTime })

/** `/transactionsByMasterchainBlock`: transactions of the blocks that a masterchain block commits. */
export const TransactionsByMasterchainBlockQuery = z.object({
  seqno: mcBlockSeqno,
  ...page,
  ...sorted('Sort order by `lt`.'),
})

/** `/transactionsByMessage`. Refuses queries that name no message: without hash, body hash and opcode. */
export const TransactionsByMessageQuery = z
  .object({ ...ofMessage, ...transactions, ...page, ...byLtOrTime })
  .superRefine((query, ctx) => {
    if (query.msg_hash || query.body_hash || query.opcode !== undefined) return
    ctx.addIssue({
      code: 'custom',
      message: 'at least one of msg_hash, body_hash, opcode should be specified',
    })
  })

/** `/adjacentTransactions`: those at the other ends of a transaction's messages. */
export const AdjacentTransactionsQuery = z.object({
  hash: required(hashKind, 'Hash of the transaction.'),
  direction: optional(
    looseDirectionKind,
    '`in`: the sender of the inbound message; `out`: the receivers of outbound messages. Default: both.',
  ),
})

/** `/messages`. External inbound messages have neither time nor lt, so that any bound excludes them. */
export const MessagesQuery = z.object({
  msg_hash: listOf(hashKind, MAX_LIST, 'Hash or normalised hash of the message.'),
  hash: listOf(looseHashKind, MAX_LIST, 'Older name of `msg_hash`, which takes precedence.'),
  body_hash: optional(hashKind, "Hash of the message's body."),
  source: optional(nullableAddressKind, 'Sender. `null` matches external inbound messages.'),
  destination: optional(nullableAddressKind, 'Destination. `null` matches messages without one (logs).'),
  opcode: optional(opcodeKind, 'First 32 bits of the body.'),
  direction: optional(directionKind, '`in`: only received messages; `out`: only sent messages.'),
  exclude_externals: optional(booleanKind, 'Whether to omit external inbound messages.'),
  only_externals: optional(booleanKind, 'Whether to return only external inbound messages.'),
  ...window('messages created', '`created_lt`'),
  ...page,
  ...sorted(
    'Sort order by `created_lt`, or by `created_at` if a time bound is given. ' +
      'External inbound messages have neither and come first in `desc`, last in `asc`.',
  ),
})

export type BlocksQuery = z.output<typeof BlocksQuery>
export type ShardStateQuery = z.output<typeof ShardStateQuery>
export type BlockShardsQuery = z.output<typeof BlockShardsQuery>
export type TransactionsQuery = z.output<typeof TransactionsQuery>
export type TransactionsByMasterchainBlockQuery = z.output<typeof TransactionsByMasterchainBlockQuery>
export type TransactionsByMessageQuery = z.output<typeof TransactionsByMessageQuery>
export type AdjacentTransactionsQuery = z.output<typeof AdjacentTransactionsQuery>
export type MessagesQuery = z.output<typeof MessagesQuery>

/**
 * Per-request settings, read from the query string if the header of the same name is absent. See
 * docs/api-v3.md.
 */
export const REQUEST_SETTINGS = [
  'x_timeout',
  'x_no_address_book',
  'x_no_metadata',
  'x_debug_request',
  'min_mc_seqno',
  'api_key',
  'token',
  // Without effect: MyTonWallet, like jQuery, adds it so that no cache replies.
  '_',
] as const
