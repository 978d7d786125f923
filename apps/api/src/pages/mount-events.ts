import { parseAddress } from '@shardwalk/api-schema'
import { formatRawAddress } from '@shardwalk/model'
import { eventsDocument } from '@shardwalk/pages'
import { changesOfBatch } from '@shardwalk/queries'
import type { Express, Request } from 'express'
import { mountPath } from '../http/mount.ts'
import { baseOf } from '../http/own-address.ts'
import { Kept } from './kept.ts'
import { frameOf, type PageContext, sendPage } from './send-page.ts'

/** How long the same accounts are offered as examples. Milliseconds. */
const KEPT_MS = 5_000
/** Blocks in which they are looked for. */
const BLOCKS = 20
const EXAMPLES = 5
/** Masterchain blocks before the newest one at which the events of the page begin. */
const BACK = 100

/** The page that shows what a stream sends, while it sends it. */
export function mountEventsPage(app: Express, context: PageContext): void {
  const examples = new Kept(KEPT_MS, () => recentAccounts(context))
  mountPath(app, '/docs/streaming', async (request, response) => {
    const { head } = context.services
    const recent = await examples.read().catch(() => [])
    const { range } = await head.read().catch(() => ({ range: undefined }))
    const view = {
      base: baseOf(request),
      accounts: asked(request) ?? recent,
      from: range && Math.max(range.from, range.to - BACK),
    }
    sendPage(context, response, eventsDocument(await frameOf(context, request), view))
  })
}

/** `?address=`; undefined: none that is an address. */
function asked(request: Request): readonly string[] | undefined {
  const given = new URL(request.originalUrl, 'http://localhost').searchParams.getAll('address')
  const accounts = given.slice(0, EXAMPLES).flatMap((text) => parseAddress(text) ?? [])
  return accounts.length > 0 ? accounts.map(formatRawAddress) : undefined
}

/** Accounts with the newest transactions, of the basechain if there are any. */
async function recentAccounts({ services: { db, head, accounts } }: PageContext): Promise<readonly string[]> {
  const { range } = await head.read()
  const found = new Set<string>()
  for (let seqno = range?.to ?? 0; range && seqno >= range.from && seqno > range.to - BLOCKS; seqno--) {
    const changes = await changesOfBatch(db, seqno)
    const ids = changes.map((row) => row.account_id)
    const directory = await accounts.load(db, ids, { states: false })
    for (const id of ids.reverse()) found.add(directory.get(id).raw)
    if ([...found].filter(isOfBasechain).length >= EXAMPLES) break
  }
  return [...found].sort((a, b) => Number(isOfBasechain(b)) - Number(isOfBasechain(a))).slice(0, EXAMPLES)
}

const isOfBasechain = (raw: string): boolean => raw.startsWith('0:')
