import { base64, base64OrNull, decimal, type Json } from './text.ts'

/** Row of an action without its details. */
export interface ActionEnvelopeRow {
  /** Null for an emulated trace. */
  readonly trace_id: Buffer | null
  readonly action_id: Buffer
  readonly success: boolean
  readonly start_lt: bigint
  readonly end_lt: bigint
  readonly start_utime: number
  readonly end_utime: number
  readonly trace_end_lt: bigint
  readonly trace_end_utime: number
  readonly trace_mc_seqno_end: number
  readonly tx_hashes: readonly Buffer[]
  /** Hash of the trace's root message. */
  readonly external_hash: Buffer | null
  readonly external_hash_norm: Buffer | null
}

/** An action with what its reply needs besides its row. */
export interface ActionView {
  readonly row: ActionEnvelopeRow
  /** Type to print, which differs from the stored one for some actions. */
  readonly type: string
  readonly details: Json
  /** Base64; undefined: none, or the client does not know the type of that action. */
  readonly parentGaslessAction?: string | undefined
  /** Raw addresses; undefined unless requested. */
  readonly accounts?: readonly string[] | undefined
  /** In the order of `tx_hashes`; undefined unless requested. */
  readonly transactions?: readonly Json[] | undefined
  /** Default: `finalized` if the trace has an id. */
  readonly finality?: 'pending' | 'confirmed' | 'finalized' | undefined
}

/** `Action` of API v3. */
export function toActionReply(view: ActionView): Json {
  const { row: r, type, details, accounts, transactions, parentGaslessAction: request } = view
  const finality = view.finality ?? (r.trace_id ? 'finalized' : 'pending')
  return (
    `{"trace_id":${base64OrNull(r.trace_id)},"action_id":${base64(r.action_id)}` +
    `,"start_lt":${decimal(r.start_lt)},"end_lt":${decimal(r.end_lt)}` +
    `,"start_utime":${r.start_utime},"end_utime":${r.end_utime}` +
    `,"trace_end_lt":${decimal(r.trace_end_lt)},"trace_end_utime":${r.trace_end_utime}` +
    `,"trace_mc_seqno_end":${r.trace_mc_seqno_end}` +
    `,"transactions":[${r.tx_hashes.map(base64).join(',')}]` +
    `,"success":${r.success},"type":${JSON.stringify(type)},"details":${details}` +
    (r.external_hash ? `,"trace_external_hash":${base64(r.external_hash)}` : '') +
    (r.external_hash_norm ? `,"trace_external_hash_norm":${base64(r.external_hash_norm)}` : '') +
    (accounts && accounts.length > 0 ? `,"accounts":${JSON.stringify(accounts)}` : '') +
    (transactions && transactions.length > 0 ? `,"transactions_full":[${transactions.join(',')}]` : '') +
    `,"finality":"${finality}"` +
    (request ? `,"parent_gasless_action":"${request}"}` : '}')
  )
}
