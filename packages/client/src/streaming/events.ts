import type { contractReplies, traceReplies, v3Replies } from '@shardwalk/api-schema'
import type * as z from 'zod'

type Chain = ReturnType<typeof v3Replies>
type Transaction = z.output<Chain['Transactions']>['transactions'][number]
type Action = z.output<ReturnType<typeof traceReplies>['Actions']>['actions'][number]
type JettonWallet = z.output<(typeof contractReplies)['JettonWallets']>['jetton_wallets'][number]

/** In rising order. A finalised event is never taken back. */
export type Finality = 'pending' | 'confirmed' | 'finalized'

interface Described {
  readonly finality: Finality
  readonly address_book?: Readonly<Record<string, unknown>>
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Finalized events: everything up to this masterchain block was sent before. */
  readonly resume_from?: number
}

interface OfTrace extends Described {
  /** Normalised hash of the external message, base64. */
  readonly trace_external_hash_norm: string
}

/** A transaction of a trace, and those that its messages caused. */
export interface TraceNode {
  readonly tx_hash: string
  readonly in_msg_hash?: string
  readonly children: readonly TraceNode[]
}

/** An event. Each is a snapshot: a later one of the same trace or account replaces it. */
export type StreamEvent =
  | (OfTrace & { readonly type: 'transactions'; readonly transactions: readonly Transaction[] })
  | (OfTrace & { readonly type: 'actions'; readonly actions: readonly Action[] })
  | (OfTrace & {
      readonly type: 'trace'
      readonly trace: TraceNode
      readonly transactions: Readonly<Record<string, Transaction>>
      readonly actions?: readonly Action[]
    })
  | (Described & {
      readonly type: 'account_state_change'
      readonly account: string
      readonly state: {
        readonly hash: string
        readonly balance: string | null
        readonly account_status: string | null
        readonly code_hash: string | null
        readonly data_hash: string | null
        readonly frozen_hash: string | null
      }
    })
  | (Described & { readonly type: 'jettons_change'; readonly jetton: JettonWallet })
  | { readonly type: 'trace_invalidated'; readonly trace_external_hash_norm: string }
