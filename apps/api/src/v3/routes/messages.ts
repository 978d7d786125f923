import { MessagesQuery, toMessageReply, v3Replies } from '@shardwalk/api-schema'
import {
  listMessages,
  loadEnds,
  type MessageListFilter,
  type MessageRow,
  messageKey,
  messageParts,
} from '@shardwalk/queries'
import { Listing, type Page, renderLazily, replyContext, toView } from '@shardwalk/replies'
import { listRoute, type RequestContext, type Route } from '../../http/route.ts'
import { messageFilter } from '../message-filter.ts'
import { ltBounds, timeBounds } from './bounds.ts'
import { BAD_QUERY, OUT_OF_SERVICE } from './fails.ts'

const getMessages = listRoute({
  path: '/api/v3/messages',
  tag: 'Blockchain Data',
  summary: 'Messages',
  description:
    'Order: `created_lt` in the direction of `sort` (with a time bound: `created_at`), ties by ' +
    'hash. External inbound messages have neither: they come first in `desc`, last in `asc`, and ' +
    'any bound leaves them out.',
  query: MessagesQuery,
  reply: (rules) => v3Replies(rules).Messages,
  rows: 'messages',
  row: (rules) => v3Replies(rules).Message,
  fails: { ...BAD_QUERY, ...OUT_OF_SERVICE },
  page: messagePage,
})

export const MESSAGE_ROUTES: readonly Route[] = [getMessages]

async function messagePage(context: RequestContext, query: MessagesQuery): Promise<Page> {
  const { exclude_externals: without, only_externals: only } = query
  if (without && only) return NOTHING
  const filter: MessageListFilter = {
    ...(await messageFilter(context, { ...query, msg_hash: query.msg_hash ?? query.hash })),
    lt: ltBounds(query),
    time: timeBounds(query),
    side: query.direction,
    externals: without ? 'without' : only ? 'only' : undefined,
  }
  const { rows, next } = await listMessages(context.db, filter, query)
  return { ...(await render(context, rows, query)), next }
}

const NOTHING: Page = { items: [], fields: { address_book: '{}', metadata: '{}' } }

/** Loads everything that belongs to the rows, mostly in one statement. */
async function render(
  context: RequestContext,
  rows: readonly MessageRow[],
  query: MessagesQuery,
): Promise<Page> {
  if (rows.length === 0) return NOTHING
  const listing = new Listing(context)
  for (const row of rows) listing.listSource(row).list(row.destination_id)
  const sides = { in: query.direction !== 'out', out: query.direction !== 'in' }
  const also = await messageParts(context.db, rows, sides)
  await listing.load({ metadata: true, also })
  const ends = await loadEnds(context.db, rows, { ...listing.rows, sides })
  const codes = new Map(listing.rows.codes.map((code) => [code.hash.toString('latin1'), code.boc]))
  const codeOf = ({ init_code_hash: hash }: MessageRow) => hash && codes.get(hash.toString('latin1'))
  const reply = replyContext(context, listing.directory)
  const items = renderLazily(rows, (row) =>
    toMessageReply({ ...toView(row, codeOf(row)), ...ends.get(messageKey(row.account_id, row.lt)) }, reply),
  )
  return { items, fields: listing.fields({ metadata: true }) }
}
