import type { Json } from '@shardwalk/api-schema'
import type { Finality } from './finality.ts'

/** A transaction of a trace, ready to be sent. */
export interface TransactionPart {
  /** Raw form. */
  readonly account: string
  readonly lt: bigint
  /** `Transaction` of API v3. */
  readonly reply: Json
  /** The accounts that an address book for it covers. */
  readonly listed: readonly string[]
  /** Masterchain block that committed it; undefined: none yet. */
  readonly mcBlockSeqno?: number | undefined
}

/** An action of a trace, ready to be sent. */
export interface ActionPart {
  readonly type: string
  readonly ancestorTypes: readonly string[]
  readonly accounts: readonly string[]
  /** `Action` of API v3. */
  readonly reply: Json
  /** With `parent_gasless_action`, for those who know that type; undefined: it has none. */
  readonly replyWithGasless?: Json | undefined
  readonly listed: readonly string[]
}

interface OfTrace {
  /** Normalised hash of the external message, standard base64; what the trace is known by. */
  readonly key: string
  readonly finality: Finality
  /** Finalized events: the block up to which everything has been sent. */
  readonly after?: number | undefined
}

/** The transactions of a trace: those of subscribed accounts suffice. */
export interface TransactionsEvent extends OfTrace {
  readonly kind: 'transactions'
  /**
   * Whether more of the trace is expected, of which subscribers of what is not final get other events.
   */
  readonly isPart?: boolean | undefined
  /** Whether later blocks may add to the trace; undefined: what was sent of it before does not count. */
  readonly mayGrow?: boolean | undefined
  /** Masterchain block of the event; undefined: not one alone. */
  readonly block?: number | undefined
  /** lt descending. */
  readonly transactions: readonly TransactionPart[]
}

/** The actions of a trace: those of subscribed accounts suffice. */
export interface ActionsEvent extends OfTrace {
  readonly kind: 'actions'
  /** Of all transactions, with those that `finality` leaves out; default: `finality`. */
  readonly least?: Finality | undefined
  /** End descending, then start. */
  readonly actions: readonly ActionPart[]
}

/** A whole trace, for those who know its hash. */
export interface TraceEvent extends OfTrace {
  readonly kind: 'trace'
  /** Hash of the external message as it was sent, if that is another one; standard base64. */
  readonly sentHash?: string | undefined
  /** Nodes `{tx_hash, in_msg_hash, children}`. */
  readonly trace: Json
  /** Transactions by hash, as an object. */
  readonly transactions: Json
  readonly actions: readonly ActionPart[]
  readonly listed: readonly string[]
}

/** The state of an account after a block. `account`: raw form. */
export interface StateEvent {
  readonly kind: 'account_state_change'
  readonly finality: Finality
  readonly account: string
  /** `AccountState` of API v3 without code and data. */
  readonly state: Json
  readonly after?: number | undefined
}

/** The balance of a jetton wallet. Addresses in raw form. */
export interface JettonEvent {
  readonly kind: 'jettons_change'
  readonly finality: Finality
  readonly wallet: string
  readonly owner: string
  readonly master: string
  /** `JettonWallet` of API v3. */
  readonly jetton: Json
  readonly after?: number | undefined
}

/** What subscribers may want to get; protocols turn it into notifications. */
export type ChainEvent = TransactionsEvent | ActionsEvent | TraceEvent | StateEvent | JettonEvent

/** Address book and metadata by raw address, as JSON. */
export interface Descriptions {
  readonly book: ReadonlyMap<string, Json>
  readonly metadata: ReadonlyMap<string, Json>
}

/** Of an event; undefined: left out. */
export type Members = readonly (readonly [name: string, value: Json] | undefined)[]

/** One line of JSON. */
export const eventText = (members: Members): Json =>
  `{${members
    .filter((member) => member !== undefined)
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')}}`

/** `key`: as in `OfTrace`. */
export const invalidationText = (key: string): Json =>
  `{"type":"trace_invalidated","trace_external_hash_norm":"${key}"}`

/** Members of an event about its subject. `body`: the part that depends on the connection. */
export function ownMembers(event: ChainEvent, body: Json): Members {
  switch (event.kind) {
    case 'transactions':
    case 'actions':
      return [[event.kind, body]]
    case 'trace':
      return [
        ['trace', event.trace],
        ['transactions', event.transactions],
        body === '' ? undefined : ['actions', body],
      ]
    case 'account_state_change':
      return [
        ['account', `"${event.account}"`],
        ['state', event.state],
      ]
    case 'jettons_change':
      return [['jetton', event.jetton]]
  }
}
