import { createHash } from 'node:crypto'
import { expandSupportedTypes, isShown } from '@shardwalk/actions'
import { type Json, toStateAfterReply } from '@shardwalk/api-schema'
import type { OutboxEvent } from '@shardwalk/db'
import { formatRawAddress, type Lt } from '@shardwalk/model'
import {
  type AddressDirectory,
  allActionsOfTraces,
  type JettonWalletState,
  jettonWalletsAmong,
  lastOfAccountInBatch,
  MasterchainBlockNotIndexed,
  ofAccountInBatch,
  tracesByIds,
} from '@shardwalk/queries'
import {
  jettonWalletText,
  type RenderContext,
  renderActionParts,
  renderTransactions,
  traceKey,
} from '@shardwalk/replies'
import { eventText } from '@shardwalk/streaming'

/** Transactions or actions in one delivery; others follow in the next. */
const MAX_ITEMS = 50
/** Characters of them, unless the first has more. */
const MAX_TEXT = 512 * 1024

/** The text of an event as the tables have it now. */
export interface EventText {
  /** The same in every attempt, and whenever the same is queued again. */
  readonly id: string
  readonly text: Json
  /** So many transactions or actions are in it, and others are left; undefined: it is complete. */
  readonly more: number | undefined
}

/** Members that depend on the type, and how much of the event they are. */
interface Part {
  readonly members: readonly (readonly [name: string, value: Json])[]
  /** What tells it from other events of its type, account and block, as the chain has it. */
  readonly names: readonly (Lt | string)[]
  readonly more?: number | undefined
}

/** Writes the text of an event; undefined: what it was about is not in the tables any more. */
export async function renderEvent(
  context: RenderContext,
  event: OutboxEvent,
): Promise<EventText | undefined> {
  const part = await partOf(context, event).catch((error: unknown) => {
    if (error instanceof MasterchainBlockNotIndexed) return undefined
    throw error
  })
  if (!part) return undefined
  const id = idOf(event, part)
  const text = eventText([
    ['id', `"${id}"`],
    ['webhook', String(event.webhookId)],
    ['type', `"${event.type}"`],
    ['account', `"${formatRawAddress(event.account)}"`],
    ['mc_block_seqno', String(event.mcBlockSeqno)],
    ['finality', '"finalized"'],
    ...part.members,
  ])
  return { id, text, more: part.more }
}

/** Hexadecimal digits of an id behind the number of its webhook. */
const ID_DIGITS = 32

/**
 * Receivers leave out ids that they know. The number in the outbox is not one: after a failover, a standby
 * gives numbers that it does not have yet to other events, and what is indexed again other numbers.
 */
function idOf({ webhookId, type, account, mcBlockSeqno }: OutboxEvent, { names }: Part): string {
  const text = [type, formatRawAddress(account), mcBlockSeqno, ...names].join(' ')
  return `evt_${webhookId}_${createHash('sha256').update(text).digest('hex').slice(0, ID_DIGITS)}`
}

function partOf(context: RenderContext, event: OutboxEvent): Promise<Part | undefined> {
  switch (event.type) {
    case 'transactions':
      return transactionsPart(context, event)
    case 'account_state_change':
      return statePart(context, event)
    case 'actions':
      return actionsPart(context, event)
    case 'jettons_change':
      return jettonPart(context, event)
  }
}

async function transactionsPart(context: RenderContext, event: OutboxEvent): Promise<Part | undefined> {
  const rows = await ofAccountInBatch(context.db, event, { offset: event.sent, limit: MAX_ITEMS + 1 })
  if (rows.length === 0) return undefined
  const shown = rows.slice(0, MAX_ITEMS)
  const rendered = await renderTransactions(context, shown)
  const { taken, ...part } = listPart(
    'transactions',
    rendered.map(({ part: { reply } }) => reply),
    rows.length,
  )
  return { ...part, names: shown.slice(0, taken).map(({ lt }) => lt) }
}

async function statePart({ db }: RenderContext, event: OutboxEvent): Promise<Part | undefined> {
  const row = await lastOfAccountInBatch(db, event)
  return row && { members: [['state', toStateAfterReply(row)]], names: [row.lt] }
}

/** Those that clients are shown who name no version, the earliest first. */
async function actionsPart(context: RenderContext, event: OutboxEvent): Promise<Part | undefined> {
  const [trace] = await tracesByIds(context.db, [event.traceId!])
  if (!trace) return undefined
  const types = expandSupportedTypes(undefined)
  const all = await allActionsOfTraces(context.db, [event.traceId!])
  const own = all
    .filter((row) => row.account_ids.includes(event.accountId) && isShown(row, types))
    .reverse()
    .slice(event.sent)
  if (own.length === 0) return undefined
  const shown = own.slice(0, MAX_ITEMS)
  const directory = await addressesOf(
    context,
    shown.flatMap((row) => row.account_ids),
  )
  const parts = await renderActionParts(context, shown, (id) => directory.get(id).raw)
  const { members, more } = listPart(
    'actions',
    parts.map(({ reply }) => reply),
    own.length,
  )
  return {
    members: [['trace_external_hash_norm', `"${traceKey(trace)}"`], ...members],
    // Not its actions, which another version may name differently: they are sent once.
    names: [event.traceId!.toString('hex'), String(event.sent)],
    more,
  }
}

async function jettonPart(context: RenderContext, event: OutboxEvent): Promise<Part> {
  const [found] = await jettonWalletsAmong(context.db, [event.walletId!])
  const row = found ?? goneWallet(event)
  const directory = await addressesOf(context, [row.account_id, row.owner_id, row.jetton_id])
  const jetton = jettonWalletText(row, (id) => directory.get(id).raw)
  const wallet = directory.get(row.account_id).raw
  return { members: [['jetton', jetton]], names: [wallet, found ? found.lt : `${event.lt} gone`] }
}

/** A wallet that is no more holds nothing. */
const goneWallet = ({ walletId, wallet, lt }: OutboxEvent): JettonWalletState => ({
  account_id: walletId!,
  owner_id: BigInt(wallet!.owner_id),
  jetton_id: BigInt(wallet!.jetton_id),
  lt,
  balance: '0',
  code_hash: null,
  data_hash: null,
})

const addressesOf = ({ accounts, db }: RenderContext, ids: readonly bigint[]): Promise<AddressDirectory> =>
  accounts.load(db, ids, { states: false })

/** As many of the items as fit. `left`: how many there are, or at least one more than were rendered. */
function listPart(name: string, items: readonly Json[], left: number) {
  let taken = 0
  let size = 0
  for (const item of items) {
    size += item.length
    if (taken > 0 && size > MAX_TEXT) break
    taken++
  }
  const members = [[name, `[${items.slice(0, taken).join(',')}]`] as const]
  return { members, taken, more: taken < left ? taken : undefined }
}
