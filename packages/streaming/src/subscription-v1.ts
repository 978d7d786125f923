import { actionNames, supportedTypes, wantedTypes } from './action-types.ts'
import { Refused } from './refusal.ts'
import { RequestBody } from './request-body.ts'
import {
  cut,
  type EventType,
  NO_SUBSCRIPTION,
  type ReadOptions,
  readAddress,
  type Subscription,
} from './subscription.ts'

/** Types of version 1, and the events that they are made of. What is not final has types of its own. */
const V1_TYPES = {
  pending_transactions: 'transactions',
  pending_actions: 'actions',
  transactions: 'transactions',
  actions: 'actions',
  account_state_change: 'account_state_change',
  jettons_change: 'jettons_change',
} as const satisfies Readonly<Record<string, EventType>>
export type V1Type = keyof typeof V1_TYPES

/** Types of version 1 by raw address. */
export type TypesByAddress = ReadonlyMap<string, ReadonlySet<string>>

/** The accounts and types of a body or a frame. Throws `Refused`. */
export function readTypesByAddress(
  addresses: readonly string[],
  types: readonly string[],
): Map<string, ReadonlySet<string>> {
  const raw = addresses.map(readAddress)
  const set = typeSet(types)
  // Who asks for no types of an address asks for nothing.
  return new Map(set.size === 0 ? [] : raw.map((address) => [address, set]))
}

/** Both together. */
export function merged(
  one: TypesByAddress,
  others: Iterable<readonly [string, ReadonlySet<string>]>,
): TypesByAddress {
  const both = new Map(one)
  for (const [address, types] of others) {
    const present = both.get(address)
    both.set(address, present ? typeSet([...present, ...types]) : types)
  }
  return both
}

/** Sets repeat between addresses and connections; equal ones are one, and there are 64. */
const sets = new Map<string, ReadonlySet<string>>()

function typeSet(types: Iterable<string>): ReadonlySet<string> {
  const wanted = new Set(types)
  for (const type of wanted)
    if (!Object.hasOwn(V1_TYPES, type)) throw new Refused(`invalid event type: ${cut(type)}`)
  const names = Object.keys(V1_TYPES).filter((type) => wanted.has(type))
  const key = names.join()
  const set = sets.get(key) ?? new Set(names)
  sets.set(key, set)
  return set
}

/** The same subscription with other accounts and types. */
export function withTypes(subscription: Subscription, byAddress: TypesByAddress): Subscription {
  const wanted = new Set<string>()
  for (const set of new Set(byAddress.values())) for (const type of set) wanted.add(type)
  const wantsPending = wanted.has('pending_transactions') || wanted.has('pending_actions')
  return {
    ...subscription,
    byAddress,
    types: new Set([...wanted].map((type) => V1_TYPES[type as V1Type])),
    addresses: new Set(byAddress.keys()),
    minFinality: wantsPending ? 'pending' : 'finalized',
  }
}

/** What a connection has before its first frame. */
export const emptyV1Subscription = (actionsVersion: string | undefined): Subscription => ({
  ...NO_SUBSCRIPTION,
  byAddress: new Map(),
  supportedTypes: supportedTypes([], actionsVersion),
})

/** Reads the body of a stream, parsed JSON. Throws `Refused` in the words of TON Center, in its order. */
export function readV1Subscription(value: unknown, { actionsVersion }: ReadOptions): Subscription {
  const body = new RequestBody(value, 'invalid subscription request')
  const [addresses, types] = [body.list('addresses') ?? [], body.list('types') ?? []]
  const options = optionsOf(body, emptyV1Subscription(actionsVersion), actionsVersion)
  if (addresses.length === 0) throw new Refused('addresses are required for subscribe operation')
  if (types.length === 0) throw new Refused('types are required for subscribe operation')
  return withTypes(options, readTypesByAddress(addresses, types))
}

/** The subscription with those options that the body names. */
export function optionsOf(
  body: RequestBody,
  before: Subscription,
  actionsVersion: string | undefined,
): Subscription {
  const wanted = actionNames(body, 'action_types')
  const known = actionNames(body, 'supported_action_types')
  return {
    ...before,
    addressBook: body.flag('include_address_book') ?? before.addressBook,
    metadata: body.flag('include_metadata') ?? before.metadata,
    actionTypes: wanted ? wantedTypes(wanted) : before.actionTypes,
    supportedTypes: known ? supportedTypes(known, actionsVersion) : before.supportedTypes,
  }
}
