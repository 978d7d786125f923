import { isShown, knowsGasless } from '@shardwalk/actions'
import type { Json } from '@shardwalk/api-schema'
import type { ActionTypes } from './action-types.ts'
import { bodyHashOf } from './body-hash.ts'
import type {
  ActionPart,
  ChainEvent,
  Descriptions,
  Members,
  TransactionPart,
  TransactionsEvent,
} from './events.ts'
import type { Subscription } from './subscription.ts'

/** How far a part of a trace goes. What is final is only added to, though an event has the latest only. */
export interface Extent {
  readonly count: number
  /** lt of the latest transaction. */
  readonly newest: bigint | undefined
}

/** What one connection gets of an event. */
export interface EventShare {
  /** Equal marks: equal texts. */
  readonly mark: string
  /** Of final transactions of a trace that may grow. */
  readonly extent?: Extent | undefined
  /** The part of the event that depends on the connection; undefined: nothing is left for it. */
  readonly body: (() => Json) | undefined
  /** Raw addresses that the part names. */
  readonly listed: () => readonly string[]
}

/** `accounts`: those that the connection wants events of. */
export function shareOf(
  event: ChainEvent,
  accounts: readonly string[],
  subscription: Subscription,
): EventShare {
  switch (event.kind) {
    case 'transactions':
      return shareOfTransactions(event, accounts, subscription)
    case 'actions':
      return shareOfActions(event.actions, accounts, subscription)
    case 'trace':
      return {
        mark: filterMark(subscription),
        body: () => {
          const shown = shownActions(event.actions, subscription)
          return shown.length === 0 ? '' : listOfActions(shown, subscription)
        },
        listed: () => event.listed,
      }
    case 'account_state_change':
      return { mark: '', body: () => '', listed: () => [] }
    case 'jettons_change':
      return { mark: '', body: () => '', listed: () => [event.wallet, event.owner, event.master] }
  }
}

function shareOfTransactions(
  { transactions, mayGrow }: TransactionsEvent,
  accounts: readonly string[],
  { bodyHash }: Subscription,
) {
  const among = new Set(accounts)
  const own = transactions.filter(
    (part) => among.has(part.account) && (bodyHash === undefined || bodyHashOf(part) === bodyHash),
  )
  return {
    mark: bodyHash === undefined ? accounts.join() : `${accounts.join()} ${bodyHash}`,
    extent: mayGrow === undefined ? undefined : { count: own.length, newest: own[0]?.lt },
    body: own.length > 0 ? () => listOf(own) : undefined,
    listed: () => own.flatMap(({ listed }) => listed),
  }
}

function shareOfActions(
  actions: readonly ActionPart[],
  accounts: readonly string[],
  subscription: Subscription,
) {
  const among = new Set(accounts)
  const own = shownActions(
    actions.filter((action) => action.accounts.some((account) => among.has(account))),
    subscription,
  )
  return {
    mark: `${accounts.join()} ${filterMark(subscription)}`,
    body: own.length > 0 ? () => listOfActions(own, subscription) : undefined,
    listed: () => own.flatMap(({ listed }) => listed),
  }
}

const listOf = (parts: readonly TransactionPart[]): Json => `[${parts.map(({ reply }) => reply).join(',')}]`

const listOfActions = (parts: readonly ActionPart[], { supportedTypes }: Subscription): Json =>
  `[${parts.map((part) => actionReplyFor(part, supportedTypes)).join(',')}]`

/** `Action` of API v3 for a client that supports these types. */
export const actionReplyFor = (
  { reply, replyWithGasless }: Pick<ActionPart, 'reply' | 'replyWithGasless'>,
  supported: ReadonlySet<string>,
): Json => (knowsGasless(supported) ? (replyWithGasless ?? reply) : reply)

const shownActions = (actions: readonly ActionPart[], { actionTypes, supportedTypes }: Subscription) =>
  actions.filter(
    ({ type, ancestorTypes }) =>
      (!actionTypes || actionTypes.has(type)) &&
      isShown({ type, ancestor_type: ancestorTypes }, supportedTypes),
  )

const marks = new WeakMap<object, number>()
let marked = 0

/** Identifies the filters of a subscription; connections mostly share few sets of filters. */
const filterMark = ({ actionTypes, supportedTypes }: Subscription): string =>
  `${actionTypes ? markOf(actionTypes) : ''} ${markOf(supportedTypes)}`

function markOf(types: ActionTypes): number {
  const mark = marks.get(types) ?? marked++
  marks.set(types, mark)
  return mark
}

/** Address book and metadata of the listed addresses, as far as the subscription wants them. */
export function describing(
  { addressBook, metadata }: Subscription,
  listed: readonly string[],
  descriptions: Descriptions | undefined,
): Members {
  if (!descriptions) return []
  const cut = (entries: ReadonlyMap<string, Json>): Json => {
    const own = [...new Set(listed)].sort().filter((address) => entries.has(address))
    return `{${own.map((address) => `"${address}":${entries.get(address)}`).join(',')}}`
  }
  return [
    addressBook ? ['address_book', cut(descriptions.book)] : undefined,
    metadata ? ['metadata', cut(descriptions.metadata)] : undefined,
  ]
}
