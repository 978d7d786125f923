import type { Db } from '@shardwalk/db'
import {
  ALL_LT,
  hasTime,
  intersect,
  type LtRange,
  type Page,
  rangeOf,
  readPage,
  type SortedPageRequest,
  type TimeRange,
} from '../idiom/index.ts'
import { hasBody } from './body-hash.ts'
import { readByCreatedAt } from './by-created-at.ts'
import { countCreated, readByCreatedLt } from './by-created-lt.ts'
import { keysByHash } from './by-hash.ts'
import { countExternalIn, type ExternalInFilter, readExternalIn } from './external-in.ts'
import {
  accountOf,
  crossedLists,
  excludesSystem,
  type MessageFilter,
  messageConditions,
  namesOneList,
} from './message-filter.ts'
import { createdLtsOf, type MessageRow } from './message-rows.ts'
import { MESSAGE_CURSOR, type MessageScan, type MessageSlice, positionOf, type Side } from './message-scan.ts'

/** The conditions are joined by AND. */
export interface MessageListFilter extends MessageFilter {
  /** Bounds created_lt. External-in messages have none, so any bound excludes them. */
  readonly lt?: LtRange | undefined
  /** Bounds created_at and orders the list by it. Excludes external-in messages too. */
  readonly time?: TimeRange | undefined
  readonly side?: Side | undefined
  /** Excludes external-in messages, or selects only them. */
  readonly externals?: 'without' | 'only' | undefined
}

/**
 * Messages ordered by `created_lt <sort>, hash <sort>`, preceded by `created_at <sort>` when time is bounded.
 * External-in messages have neither; they come first in `desc` and last in `asc`, ordered by hash. Indexes:
 * see the readers of both parts.
 */
export async function listMessages(
  db: Db,
  filter: MessageListFilter,
  page: SortedPageRequest,
): Promise<Page<MessageRow>> {
  const order = { cursor: MESSAGE_CURSOR, by: hasTime(filter.time ?? {}) ? 'time' : 'lt' }
  const selection = await select(db, filter)
  const found = await readPage(page, order, async (slice) =>
    selection ? readBoth(db, selection, { ...slice, after: slice.after && positionOf(slice.after) }) : [],
  )
  const { bodyHash } = filter
  return bodyHash ? { ...found, rows: found.rows.filter((row) => hasBody(row, bodyHash)) } : found
}

interface Selection {
  readonly scan: MessageScan
  readonly ofExternals: ExternalInFilter
  /** Whether the list can have external-in messages, and other messages. */
  readonly externals: boolean
  readonly created: boolean
}

/** Undefined when nothing can match. */
async function select(db: Db, filter: MessageListFilter): Promise<Selection | undefined> {
  const keys = filter.hashes && (await keysByHash(db, filter.hashes))
  const base = messageConditions(filter, keys)
  if (!base || keys?.length === 0) return undefined
  const { lt = ALL_LT, time = {}, side, source = null } = filter
  const externals =
    filter.externals !== 'without' &&
    keys?.every((key) => !key.is_external) !== true &&
    !filter.lt &&
    !hasTime(time) &&
    source === null &&
    filter.destination !== null &&
    side !== 'out'
  return {
    scan: {
      lt: keys ? intersect(lt, createdLtsOf(rangeOf(keys.map((key) => key.lt)))) : lt,
      time,
      conditions: base,
      side,
      lists: crossedLists(filter),
      account: filter.hashes ? undefined : accountOf(filter),
      onlySent: excludesSystem(filter) || side === 'out',
      keepPlan: namesOneList(filter),
    },
    externals,
    created:
      filter.externals !== 'only' && filter.source !== null && keys?.every((key) => key.is_external) !== true,
    ofExternals: externalInFilter(filter),
  }
}

const externalInFilter = ({ hashes, destination, opcode, bodyHash }: MessageFilter): ExternalInFilter => ({
  hashes,
  opcode,
  bodyHash,
  // The receiver of an external-in message is also the account of its key.
  account: typeof destination === 'bigint' ? destination : undefined,
})

interface Part {
  readonly enabled: boolean
  /** True if the cursor is in this part. */
  readonly mine: boolean
  read(slice: MessageSlice): Promise<readonly MessageRow[]>
  /** Behind the cursor, if it is in this part. */
  count(atMost: number): Promise<number>
}

/**
 * The two parts are ordered differently and are read one after the other; the cursor says which part it is
 * in.
 */
async function readBoth(
  db: Db,
  { scan, ofExternals, ...parts }: Selection,
  slice: MessageSlice,
): Promise<readonly MessageRow[]> {
  const externals: Part = {
    enabled: parts.externals,
    mine: slice.after?.created_lt === null,
    read: (part) => readExternalIn(db, ofExternals, part),
    count: (atMost) => countExternalIn(db, ofExternals, slice, atMost),
  }
  const created: Part = {
    enabled: parts.created,
    mine: slice.after !== undefined && slice.after.created_lt !== null,
    read: (part) => (hasTime(scan.time) ? readByCreatedAt(db, scan, part) : readByCreatedLt(db, scan, part)),
    count: (atMost) => countCreated(db, scan, slice, atMost),
  }
  const [first, second] = slice.sort === 'desc' ? [externals, created] : [created, externals]
  const readIf = (part: Part) => (part.enabled ? part.read(slice) : Promise.resolve([]))
  if (second.mine || !first.enabled) return readIf(second)
  if (!second.enabled) return first.read(slice)
  const head = await first.read(slice)
  if (head.length >= slice.limit) return head
  // The first part ends in this page. The number of its rows that the offset skipped is unknown only when
  // none came.
  const skipped = head.length > 0 || slice.offset === 0 ? slice.offset : await first.count(slice.offset)
  const tail = await second.read({
    sort: slice.sort,
    limit: slice.limit - head.length,
    offset: slice.offset - skipped,
  })
  return [...head, ...tail]
}
