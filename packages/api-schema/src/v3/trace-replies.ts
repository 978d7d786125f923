import * as z from 'zod'
import { oncePerRules } from '../profiles.ts'
import { actionReplies } from './action-reply.ts'
import { AddressBookReply, boc, digits, hash, int, MetadataReply, v3Replies } from './replies.ts'

type Transaction = ReturnType<typeof v3Replies>['Transaction']
type Action = ReturnType<typeof actionReplies<Transaction>>['union']

/** A transaction of a trace and those that its messages caused, in the order of the messages. */
export const TraceNode = z
  .strictObject({
    tx_hash: hash,
    in_msg_hash: hash.optional(),
    // biome-ignore lint/plugin: how zod declares recursion, once per process
    get children() {
      return z.array(TraceNode)
    },
  })
  .meta({ id: 'TraceNode' })

const traceReply = (Transaction: Transaction, Action: Action) =>
  z
    .strictObject({
      trace_id: hash.nullable(),
      external_hash: hash.nullable(),
      mc_seqno_start: digits,
      mc_seqno_end: digits,
      start_lt: digits,
      start_utime: int,
      end_lt: digits.nullable(),
      end_utime: int.nullable(),
      trace_info: z
        .strictObject({
          trace_state: z.enum(['complete', 'pending', 'broken']),
          messages: int,
          transactions: int,
          pending_messages: int,
          classification_state: z.enum(['unclassified', 'failed', 'ok', 'broken']),
        })
        .meta({ id: 'TraceMeta' }),
      is_incomplete: z.boolean(),
      warning: z.string().optional(),
      actions: z.array(Action).optional(),
      trace: TraceNode.optional(),
      transactions_order: z.array(hash).optional(),
      transactions: z.record(hash, Transaction).optional(),
    })
    .meta({ id: 'Trace' })

const emulatedTraceReply = (Transaction: Transaction, Action: Action) =>
  z
    .strictObject({
      mc_block_seqno: int,
      trace: TraceNode,
      transactions: z.record(hash, Transaction),
      actions: z.array(Action),
      code_cells: z.record(hash, boc).optional(),
      data_cells: z.record(hash, boc).optional(),
      address_book: AddressBookReply.optional(),
      metadata: MetadataReply.optional(),
      rand_seed: hash,
      is_incomplete: z.boolean(),
    })
    .meta({ id: 'EmulatedTrace' })

/** Schemas of traces and actions; see `v3Replies`. */
export const traceReplies = oncePerRules((rules) => {
  const { Transaction } = v3Replies(rules)
  const { base: ActionBase, union: Action } = actionReplies(Transaction)
  const Trace = traceReply(Transaction, Action)
  const beside = { address_book: AddressBookReply, metadata: MetadataReply }
  return {
    Action,
    ActionBase,
    Transaction,
    Trace,
    EmulatedTrace: emulatedTraceReply(Transaction, Action),
    Actions: z
      .strictObject({ actions: z.array(Action), ...beside, next_cursor: z.string().optional() })
      .meta({ id: 'ActionsResponse' }),
    Events: z.strictObject({ events: z.array(Trace), ...beside }).meta({ id: 'EventsResponse' }),
    Traces: z.strictObject({ traces: z.array(Trace), ...beside }).meta({ id: 'TracesResponse' }),
  }
})
