import { parseAddress, parseHash } from '@shardwalk/api-schema'
import { formatRawAddress } from '@shardwalk/model'
import { actionNames, supportedTypes, wantedTypes } from './action-types.ts'
import { FINALITIES, type Finality } from './finality.ts'
import { Refused, type Wire } from './refusal.ts'
import { RequestBody } from './request-body.ts'

/** Types of version 2. */
export const EVENT_TYPES = [
  'transactions',
  'actions',
  'trace',
  'account_state_change',
  'jettons_change',
  'trace_invalidated',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** What comes first: finalized events after this masterchain block, or those of the last moments. */
export type Beginning = number | 'recent'

/** What one connection wants; a new one replaces the old one as a whole. */
export interface Subscription {
  readonly types: ReadonlySet<EventType>
  /** Raw form, upper case. */
  readonly addresses: ReadonlySet<string>
  /** Normalised hashes of external messages, standard base64. */
  readonly traces: ReadonlySet<string>
  readonly minFinality: Finality
  readonly addressBook: boolean
  readonly metadata: boolean
  /** Undefined: all. */
  readonly actionTypes: ReadonlySet<string> | undefined
  readonly supportedTypes: ReadonlySet<string>
  /** Of transactions: only those whose incoming message has a body of this hash, standard base64. */
  readonly bodyHash: string | undefined
  readonly resumeFrom: Beginning | undefined
  /** Version 1: the types of each of the addresses. */
  readonly byAddress?: ReadonlyMap<string, ReadonlySet<string>> | undefined
}

/** That of a WebSocket before its first frame. */
export const NO_SUBSCRIPTION: Subscription = {
  types: new Set(),
  addresses: new Set(),
  traces: new Set(),
  minFinality: 'finalized',
  addressBook: false,
  metadata: false,
  actionTypes: undefined,
  supportedTypes: new Set(),
  bodyHash: undefined,
  resumeFrom: undefined,
}

/** Of one connection. */
export interface SubscriptionLimits {
  /** Distinct addresses of a connection. */
  readonly addresses: number
  readonly traces: number
}

/** On what a subscription depends beside its body. */
export interface ReadOptions {
  readonly wire: Wire
  /** `X-Actions-Version`, if `supported_action_types` is empty. */
  readonly actionsVersion?: string | undefined
}

/**
 * Reads the body of a subscription, which `checkLimits` has to pass. `value`: parsed JSON. Throws `Refused`
 * with the texts of TON Center, in its order of checks.
 */
export function readSubscription(value: unknown, { wire, actionsVersion }: ReadOptions): Subscription {
  const body = bodyOf(value, wire)
  const types = new Set(body.types)
  if (types.size === 0)
    throw new Refused(wire === 'sse' ? 'types are required for subscription' : 'types are required')
  for (const type of types) if (!isEventType(type)) throw new Refused(`invalid event type: ${cut(type)}`)
  const addresses = new Set(body.addresses.map(readAddress))
  const traces = new Set(body.traces.map(readTraceHash))
  checkTargets({ types, addresses, traces }, wire)
  const bodyHash = body.bodyHash === undefined ? undefined : readBodyHash(body.bodyHash)
  if (bodyHash !== undefined && !(types.has('transactions') && addresses.size > 0))
    throw new Refused('msg_body_hash requires addresses and type "transactions"')
  return {
    types: types as ReadonlySet<EventType>,
    addresses,
    traces,
    minFinality: body.minFinality,
    addressBook: body.addressBook,
    metadata: body.metadata,
    actionTypes: wantedTypes(body.actionTypes),
    supportedTypes: supportedTypes(body.supportedTypes, actionsVersion),
    bodyHash,
    resumeFrom: body.resumeFrom ?? (body.replays ? 'recent' : undefined),
  }
}

interface Targets {
  readonly types: ReadonlySet<string>
  readonly addresses: ReadonlySet<string>
  readonly traces: ReadonlySet<string>
}

function checkTargets({ types, addresses, traces }: Targets, wire: Wire): void {
  if (traces.size > 0 && !types.has('trace'))
    throw new Refused('trace_external_hash_norms requires type "trace"')
  if (types.has('trace') && traces.size === 0)
    throw new Refused('trace_external_hash_norms are required for trace subscription')
  // Invalidations are implicit, so the type alone does not ask for accounts beside a trace.
  const isOfAccounts = [...types].some((type) => type !== 'trace' && type !== 'trace_invalidated')
  if ((isOfAccounts || !types.has('trace')) && addresses.size === 0)
    throw new Refused(wire === 'sse' ? 'addresses are required for subscription' : 'addresses are required')
}

/** Throws `Refused`. */
export function checkLimits(
  { addresses, traces }: Subscription,
  limits: SubscriptionLimits,
  wire: Wire,
): void {
  if (addresses.size > limits.addresses) throw tooManyAddresses(addresses.size, limits.addresses, wire)
  if (traces.size > limits.traces)
    throw new Refused(`too many trace_external_hash_norms: ${traces.size} > max ${limits.traces}`)
}

const tooManyAddresses = (count: number, most: number, wire: Wire): Refused =>
  new Refused(
    wire === 'sse'
      ? `too many addresses: ${count} > max ${most}`
      : `address limit exceeded: current 0 + new ${count} > max ${most}`,
  )

const isEventType = (type: string): type is EventType => (EVENT_TYPES as readonly string[]).includes(type)

/** Raw form of an address in any form. Throws `Refused`. */
export function readAddress(text: string): string {
  const address = parseAddress(text)
  if (!address) throw new Refused(`invalid address: ${cut(text)}`)
  return formatRawAddress(address)
}

/** Standard base64 of a hash in hex or base64. Throws `Refused`. */
export function readTraceHash(text: string): string {
  if (text.trim() === '') throw new Refused('trace_external_hash_norms contains empty value')
  return readHash(text, 'trace external hash norm')
}

const readBodyHash = (text: string): string => readHash(text, 'msg_body_hash')

function readHash(text: string, name: string): string {
  const trimmed = text.trim()
  // Clients leave out the padding of base64.
  const hash = parseHash(/^[A-Za-z0-9+/_-]{43}$/.test(trimmed) ? `${trimmed}=` : trimmed)
  if (!hash) throw new Refused(`invalid ${name}: ${cut(text)}`)
  return hash.toString('base64')
}

interface Body {
  readonly types: readonly string[]
  readonly addresses: readonly string[]
  readonly traces: readonly string[]
  readonly minFinality: Finality
  readonly addressBook: boolean
  readonly metadata: boolean
  readonly actionTypes: readonly string[]
  readonly supportedTypes: readonly string[]
  readonly bodyHash: string | undefined
  readonly resumeFrom: number | undefined
  readonly replays: boolean
}

function bodyOf(value: unknown, wire: Wire): Body {
  const about = wire === 'sse' ? 'invalid subscription request' : 'invalid subscribe request'
  const body = new RequestBody(value, about)
  return {
    types: body.list('types') ?? [],
    addresses: body.list('addresses') ?? [],
    traces: body.list('trace_external_hash_norms') ?? [],
    minFinality: finalityOf(body),
    addressBook: body.flag('include_address_book') ?? false,
    metadata: body.flag('include_metadata') ?? false,
    actionTypes: actionNames(body, 'action_types') ?? [],
    supportedTypes: actionNames(body, 'supported_action_types') ?? [],
    bodyHash: body.text('msg_body_hash'),
    resumeFrom: seqnoOf(body),
    replays: body.flag('replay_existing') ?? false,
  }
}

function finalityOf(body: RequestBody): Finality {
  const given = body.member('min_finality')
  if (given === undefined || given === '') return 'finalized'
  if (typeof given !== 'string') throw body.wrong('min_finality must be a text')
  if (!(FINALITIES as readonly string[]).includes(given))
    throw body.wrong(`unknown finality state: ${cut(given)}`)
  return given as Finality
}

const MAX_SEQNO = 2 ** 31 - 1

function seqnoOf(body: RequestBody): number | undefined {
  const given = body.member('resume_from')
  if (given === undefined) return undefined
  const isSeqno = typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= MAX_SEQNO
  if (!isSeqno) throw body.wrong('resume_from must be a masterchain seqno')
  return given
}

/** A copy without some members. */
export function without(all: ReadonlySet<string>, gone: readonly string[]): ReadonlySet<string> {
  const left = new Set(all)
  for (const one of gone) left.delete(one)
  return left
}

/** Texts of clients are repeated in errors, but not at any length. */
export const cut = (text: string): string => (text.length > 128 ? `${text.slice(0, 128)}...` : text)
