import { type MessagesQuery, toMessageReply } from '@shardwalk/api-schema'
import { type RawAddress, SYSTEM_ADDRESS, sameAddress } from '@shardwalk/model'
import { decodeCursor, encodeCursor, hashToNumber, numberToHash } from '../http/cursor.ts'
import type { Page, RequestContext } from '../http/route.ts'
import { Listing } from './address-book-listing.ts'
import {
  type AccountFilter,
  crossedLists,
  type MessageFilter,
  messageConditions,
  RECEIVED,
  receivedBy,
  SENT,
} from './queries/message-conditions.ts'
import {
  countExternalIn,
  countOthers,
  listByCreatedAt,
  listByCreatedLt,
  listExternalIn,
  type MessagePosition,
  type MessageScan,
  type MessageSlice,
  nameExternalIn,
} from './queries/message-list.ts'
import { messageParts, toEnds, withCode } from './queries/message-parts.ts'
import { type MessageRow, messageKey } from './queries/message-rows.ts'
import { type Condition, ltRange } from './queries/sql.ts'
import { cellHash, replyContext, toView } from './reply-context.ts'

/** GET /messages. */
export async function listMessages(context: RequestContext, query: MessagesQuery): Promise<Page> {
  const byTime = query.start_utime !== undefined || query.end_utime !== undefined
  const name = `msg-${byTime ? 'time' : 'lt'}-${query.sort}`
  const after = query.cursor === undefined ? undefined : toPosition(decodeCursor(query.cursor, name, 4))
  const rows = await select(context, query, { ...query, limit: query.limit + 1, after })
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const next = rows.length > query.limit && last ? encodeCursor(name, positionValues(last)) : undefined
  const wanted = query.body_hash ? page.filter((row) => hasBody(row, query.body_hash!)) : page
  return { ...(await render(context, wanted, query)), next }
}

const positionValues = (row: MessageRow) => [
  row.kind,
  row.created_at ?? 0,
  row.created_lt ?? 0n,
  hashToNumber(row.hash),
]

const EXTERNAL_IN = 1n

const toPosition = ([kind, createdAt, createdLt, hash]: readonly bigint[]): MessagePosition => ({
  created_at: kind === EXTERNAL_IN ? null : Number(BigInt.asIntN(32, createdAt!)),
  created_lt: kind === EXTERNAL_IN ? null : BigInt.asIntN(64, createdLt!),
  hash: numberToHash(hash!),
})

async function select(
  context: RequestContext,
  query: MessagesQuery,
  slice: MessageSlice,
): Promise<MessageRow[]> {
  const filter = await toFilter(context, query)
  const base = messageConditions(filter)
  if (!base || (query.exclude_externals && query.only_externals)) return []
  const side = query.direction === 'in' ? [RECEIVED] : query.direction === 'out' ? [SENT] : []
  const conditions = [...base, ...side]
  const hasBounds = [query.start_utime, query.end_utime, query.start_lt, query.end_lt].some(
    (bound) => bound !== undefined,
  )
  const scan: MessageScan = {
    lt: ltRange(query.start_lt, query.end_lt),
    time: { from: query.start_utime, to: query.end_utime },
    conditions,
    lists: crossedLists(filter),
    keepPlan: side.length === 0 && namesOneList(filter),
  }
  const sources: Sources = {
    // Bounds compare with creation, which external-in messages do not have; nor do they have a sender.
    externals:
      !hasBounds &&
      !query.exclude_externals &&
      (query.source ?? null) === null &&
      query.destination !== null &&
      query.direction !== 'out',
    others: !query.only_externals && query.source !== null,
  }
  const byTime = query.start_utime !== undefined || query.end_utime !== undefined
  const ofExternals = sources.externals ? await externalsOf(context, filter, base) : []
  return readBoth(context, { scan, ofExternals, sources, byTime }, slice)
}

/** The conditions in a form for which external-in messages have an index. */
async function externalsOf(
  { db }: RequestContext,
  filter: MessageFilter,
  conditions: readonly Condition[],
): Promise<readonly Condition[]> {
  if (typeof filter.destination === 'bigint')
    return [...messageConditions({ ...filter, destination: undefined })!, receivedBy(filter.destination)]
  return filter.bodyHash ? nameExternalIn(db, conditions, filter.bodyHash.readBigInt64BE(0)) : conditions
}

/** One index has the wanted rows in their order, whatever the value: all messages, those of a sender, of a receiver, of an opcode. */
function namesOneList({
  hashes,
  bodyHash,
  source,
  sourceIsSystem,
  destination,
  opcode,
}: MessageFilter): boolean {
  const named = [source, destination, opcode].filter((value) => value !== undefined)
  return !hashes && !bodyHash && !sourceIsSystem && named.length <= 1 && named[0] !== null
}

interface Selection {
  readonly scan: MessageScan
  readonly ofExternals: readonly Condition[]
  readonly sources: Sources
  readonly byTime: boolean
}

interface Sources {
  readonly externals: boolean
  readonly others: boolean
}

/**
 * External-in messages have no creation lt: they come first in `desc` and last in `asc`. Both parts have an order of their own and
 * are read one after the other; a cursor says in which part it stands.
 */
async function readBoth(
  { db }: RequestContext,
  { scan, ofExternals, sources, byTime }: Selection,
  slice: MessageSlice,
): Promise<MessageRow[]> {
  const externals: Part = {
    enabled: sources.externals,
    mine: slice.after?.created_lt === null,
    read: (part) => listExternalIn(db, { conditions: ofExternals, keepPlan: scan.keepPlan }, part),
    count: (atMost) => countExternalIn(db, ofExternals, atMost),
  }
  const others: Part = {
    enabled: sources.others,
    mine: slice.after !== undefined && slice.after.created_lt !== null,
    read: (part) => (byTime ? listByCreatedAt(db, scan, part) : listByCreatedLt(db, scan, part)),
    count: (atMost) => countOthers(db, scan, atMost),
  }
  const [first, second] = slice.sort === 'desc' ? [externals, others] : [others, externals]
  const readIf = (part: Part) => (part.enabled ? part.read(slice) : Promise.resolve([]))
  if (second.mine || !first.enabled) return readIf(second)
  if (!second.enabled) return first.read(slice)
  const head = await first.read(slice)
  if (head.length >= slice.limit) return head
  // The first part has ended in this page. How much of it the offset skipped is only unknown when nothing came.
  const skipped = head.length > 0 || slice.offset === 0 ? slice.offset : await first.count(slice.offset)
  const tail = await second.read({
    sort: slice.sort,
    limit: slice.limit - head.length,
    offset: slice.offset - skipped,
    after: second.mine ? slice.after : undefined,
  })
  return [...head, ...tail]
}

interface Part {
  readonly enabled: boolean
  /** The cursor stands in this part. */
  readonly mine: boolean
  read(slice: MessageSlice): Promise<MessageRow[]>
  count(atMost: number): Promise<number>
}

export async function toFilter(
  context: RequestContext,
  query: Pick<MessagesQuery, 'msg_hash' | 'body_hash' | 'source' | 'destination' | 'opcode'> & {
    hash?: Buffer | undefined
  },
): Promise<MessageFilter> {
  const [source, destination] = await Promise.all([
    accountFilter(context, query.source),
    accountFilter(context, query.destination),
  ])
  return {
    hashes: query.msg_hash ?? (query.hash && [query.hash]),
    bodyHash: query.body_hash,
    source,
    sourceIsSystem: query.source ? sameAddress(query.source, SYSTEM_ADDRESS) : false,
    destination,
    opcode: query.opcode,
  }
}

async function accountFilter(
  context: RequestContext,
  address: RawAddress | null | undefined,
): Promise<AccountFilter | undefined> {
  if (address === null || address === undefined) return address
  return (await context.accounts.idOf(context.db, address)) ?? 'unknown'
}

const EMPTY_CELL_HASH = Buffer.from('96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7', 'hex')

/** The tables find bodies by 8 bytes of their hash; someone may grind two bodies that share them. */
export const hasBody = (row: MessageRow, hash: Buffer): boolean =>
  (row.body === null ? EMPTY_CELL_HASH : cellHash(row.body)).equals(hash)

/** The rows and everything that belongs to them: one statement, however many. */
async function render(
  context: RequestContext,
  rows: readonly MessageRow[],
  query: MessagesQuery,
): Promise<Page> {
  if (rows.length === 0) return { items: [], fields: { address_book: '{}', metadata: '{}' } }
  const listing = new Listing(context)
  for (const row of rows) listing.listSource(row).list(row.destination_id)
  const also = messageParts(rows, { in: query.direction !== 'out', out: query.direction !== 'in' })
  await listing.load({ metadata: true, also })
  const ends = toEnds(listing.rows)
  const codes = new Map(listing.rows.codes.map((code) => [code.hash.toString('latin1'), code.boc]))
  const whole = (row: MessageRow) =>
    withCode(row, row.init_code_hash && codes.get(row.init_code_hash.toString('latin1')))
  const reply = replyContext(context, listing.directory)
  const items = rows.map((row) =>
    toMessageReply({ ...toView(whole(row)), ...ends.get(messageKey(row.account_id, row.lt)) }, reply),
  )
  return { items, fields: listing.fields({ metadata: true }) }
}
