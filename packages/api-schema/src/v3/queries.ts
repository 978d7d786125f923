import { z } from 'zod'
import { listOf, optional, required, withDefault } from '../parameters.ts'
import {
  addressKind,
  booleanKind,
  cursorKind,
  directionKind,
  hashKind,
  int32Kind,
  limitKind,
  ltKind,
  nullableAddressKind,
  offsetKind,
  opcodeKind,
  seqnoKind,
  shardKind,
  sortKind,
  utimeKind,
} from '../value-kinds.ts'

export const DEFAULT_LIMIT = 10
export const MAX_LIMIT = 1000
const MAX_LIST = 1000

export const page = {
  limit: withDefault(limitKind(MAX_LIMIT), DEFAULT_LIMIT, 'Most rows to return.'),
  offset: withDefault(offsetKind, 0, 'Rows to skip.'),
  cursor: optional(cursorKind, 'Continue after an earlier reply: the value of its header `X-Next-Cursor`.'),
}

export const sorted = (what: string) => ({ sort: withDefault(sortKind, 'desc', what) })

export const window = (rows: string, ltOf: string) => ({
  start_utime: optional(utimeKind, `Only ${rows} at this time or later.`),
  end_utime: optional(utimeKind, `Only ${rows} at this time or earlier.`),
  start_lt: optional(ltKind, `Only ${rows} with ${ltOf} >= this.`),
  end_lt: optional(ltKind, `Only ${rows} with ${ltOf} <= this.`),
})

const block = {
  workchain: optional(int32Kind, 'Workchain of the block.'),
  shard: optional(shardKind, 'Shard of the block; needs `workchain`.'),
  seqno: optional(seqnoKind, 'Seqno of the block; needs `workchain` and `shard`.'),
}

type BlockFilter = { workchain?: number; shard?: bigint; seqno?: number }

/** A shard names a block only within a workchain, a seqno only within a shard. */
function needsWholeBlock(query: BlockFilter, ctx: z.core.$RefinementCtx): void {
  const { workchain, shard, seqno } = query
  const refuse = (message: string) => ctx.addIssue({ code: 'custom', message })
  if (seqno !== undefined && (workchain === undefined || shard === undefined))
    refuse('`seqno` requires both `workchain` and `shard`')
  else if (shard !== undefined && workchain === undefined) refuse('`shard` requires `workchain`')
}

const mcBlockSeqno = required(seqnoKind, 'Seqno of the masterchain block.')

export const MasterchainInfoQuery = z.object({})

export const BlocksQuery = z
  .object({
    ...block,
    root_hash: optional(hashKind, 'Root hash of the block.'),
    file_hash: optional(hashKind, 'File hash of the block.'),
    mc_seqno: optional(seqnoKind, 'Only blocks that this masterchain block commits, itself included.'),
    ...window('blocks', 'start_lt'),
    ...page,
    ...sorted('Order by time.'),
  })
  .superRefine(needsWholeBlock)

export const ShardStateQuery = z.object({ seqno: mcBlockSeqno, ...page })

export const BlockShardsQuery = z.object({ seqno: mcBlockSeqno, ...page, ...sorted('Order by time.') })

export const TransactionsQuery = z
  .object({
    ...block,
    mc_seqno: optional(seqnoKind, 'Only transactions of blocks that this masterchain block commits.'),
    account: listOf(addressKind, MAX_LIST, 'Only transactions of these accounts.'),
    exclude_account: listOf(addressKind, MAX_LIST, 'No transactions of these accounts.'),
    hash: listOf(hashKind, MAX_LIST, 'Hash of the transaction.'),
    lt: optional(ltKind, 'Logical time of the transaction.'),
    ...window('transactions', '`lt`'),
    ...page,
    ...sorted('Order by `lt`; by time, then `lt`, when a time bound is given.'),
  })
  .superRefine(needsWholeBlock)

export const TransactionsByMasterchainBlockQuery = z.object({
  seqno: mcBlockSeqno,
  ...page,
  ...sorted('Order by `lt`.'),
})

export const TransactionsByMessageQuery = z
  .object({
    msg_hash: listOf(hashKind, MAX_LIST, 'Hash or normalised hash of the message.'),
    body_hash: optional(hashKind, "Hash of the message's body."),
    opcode: optional(opcodeKind, 'First 32 bits of the body; only received messages count.'),
    direction: optional(
      directionKind,
      '`in`: the transaction received the message, `out`: it sent it; both when absent.',
    ),
    source: optional(nullableAddressKind, 'Sender of the message; `null`: external inbound messages.'),
    destination: optional(
      nullableAddressKind,
      'Receiver of the message; `null`: external outbound messages.',
    ),
    ...page,
    ...sorted('Order by `lt`.'),
  })
  .superRefine((query, ctx) => {
    if (query.msg_hash || query.body_hash || query.opcode !== undefined) return
    ctx.addIssue({
      code: 'custom',
      message: 'at least one of msg_hash, body_hash, opcode should be specified',
    })
  })

export const AdjacentTransactionsQuery = z.object({
  hash: required(hashKind, 'Hash of the transaction.'),
  direction: optional(
    directionKind,
    '`in`: the transaction that sent its inbound message, `out`: those that received its outbound ones; both when absent.',
  ),
})

export const MessagesQuery = z.object({
  msg_hash: listOf(hashKind, MAX_LIST, 'Hash or normalised hash of the message.'),
  hash: optional(hashKind, 'Older name of `msg_hash`; used when that is absent.'),
  body_hash: optional(hashKind, "Hash of the message's body."),
  source: optional(nullableAddressKind, 'Sender; `null`: external inbound messages.'),
  destination: optional(nullableAddressKind, 'Receiver; `null`: messages without one, i.e. logs.'),
  opcode: optional(opcodeKind, 'First 32 bits of the body.'),
  direction: optional(
    directionKind,
    '`in`: only what a transaction received, `out`: only what a transaction sent.',
  ),
  exclude_externals: optional(booleanKind, 'Leave out external inbound messages.'),
  only_externals: optional(booleanKind, 'Only external inbound messages.'),
  ...window('messages created', '`created_lt`'),
  ...page,
  ...sorted(
    'Order by `created_lt`; by `created_at` when a time bound is given. External inbound messages have neither: first in `desc`, last in `asc`.',
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

/** Settings of one request, read from the query string where the header of the same name is absent (specification 2.4). */
export const REQUEST_SETTINGS = [
  'x_timeout',
  'x_no_address_book',
  'x_no_metadata',
  'x_debug_request',
  'api_key',
] as const
