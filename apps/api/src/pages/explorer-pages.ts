import { formatRawAddress } from '@shardwalk/model'
import {
  accountDocument,
  blockDocument,
  blocksDocument,
  type Frame,
  foundDocument,
  OF_MASTERCHAIN,
  pathTo,
  traceDocument,
  transactionDocument,
} from '@shardwalk/pages'
import type { Request } from 'express'
import { HttpError } from '../http/errors.ts'
import { readAccount } from './account-pages.ts'
import { readBlock, readBlocks, readTrace, readTransaction } from './chain-pages.ts'
import { addressOfPath, type ExplorerRequest, hashOfPath } from './explorer-request.ts'
import { search } from './search-request.ts'
import type { PageContext } from './send-page.ts'

/** A request for a page, and what it is answered with. */
export interface Visit {
  readonly context: PageContext
  readonly asked: ExplorerRequest
  readonly request: Request
  readonly frame: Frame
}

/** HTML, or where else to look. */
export type Shown = string | { readonly to: string; readonly status?: 301 }

export interface ExplorerPage {
  readonly paths: string | readonly string[]
  /** The path of API v3 for programs. */
  readonly instead: string
  readonly show: (visit: Visit) => Promise<Shown>
}

/** Pages in the order in which their paths are matched. */
export const EXPLORER_PAGES: readonly ExplorerPage[] = [
  { paths: '/search', instead: '/api/v3/', show: showFound },
  {
    paths: ['/address/:address', '/jetton/:address', '/nft/:address'],
    instead: '/api/v3/accountStates',
    show: showAccount,
  },
  { paths: ['/tx/:hash', '/transaction/:hash'], instead: '/api/v3/transactions', show: showTransaction },
  { paths: ['/trace/:hash', '/tx/:hash/trace'], instead: '/api/v3/traces', show: showTrace },
  { paths: '/blocks', instead: '/api/v3/blocks', show: showBlocks },
  { paths: '/block/latest', instead: '/api/v3/masterchainInfo', show: showLatestBlock },
  { paths: '/block/:workchain/:shard/:seqno', instead: '/api/v3/blocks', show: showBlock },
]

async function showFound({ asked, frame }: Visit): Promise<Shown> {
  const text = asked.parameter('q') ?? ''
  const found = await search(asked, text)
  return found.length === 1
    ? { to: found[0]!.path }
    : foundDocument({ ...frame, query: text.slice(0, 200) }, found)
}

const OTHER_NETWORK = 'The address was written for the other network: here it is the same account number.'

async function showAccount({ context, asked, request, frame }: Visit): Promise<Shown> {
  const address = addressOfPath(String(request.params['address']))
  const own = pathTo.account(formatRawAddress(address), asked.testOnly)
  if (request.path !== own) return { to: `${own}${asked.search}`, status: 301 }
  const { range } = await context.services.head.read()
  const view = await readAccount(asked, address, range)
  const notice = asked.parameter('notice') === 'network' ? OTHER_NETWORK : undefined
  return accountDocument(frame, { ...view, notice })
}

async function showTransaction({ asked, request, frame }: Visit): Promise<Shown> {
  const hash = hashOfPath(String(request.params['hash']))
  if (request.path !== pathTo.transaction(hash)) return { to: pathTo.transaction(hash), status: 301 }
  return transactionDocument(frame, await readTransaction(asked, hash))
}

async function showTrace({ asked, request, frame }: Visit): Promise<Shown> {
  return traceDocument(frame, await readTrace(asked, hashOfPath(String(request.params['hash']))))
}

async function showBlocks({ asked, frame }: Visit): Promise<Shown> {
  return blocksDocument(frame, await readBlocks(asked))
}

async function showLatestBlock({ context }: Visit): Promise<Shown> {
  const { range } = await context.services.head.read()
  if (!range) throw new HttpError(404, 'nothing is indexed yet')
  return { to: pathTo.block({ ...OF_MASTERCHAIN, seqno: range.to }) }
}

async function showBlock({ asked, request, frame }: Visit): Promise<Shown> {
  const { workchain, shard, seqno } = request.params as Record<string, string>
  if (!/^-?\d{1,10}$/.test(workchain!) || !/^[0-9a-f]{16}$/i.test(shard!) || !/^\d{1,10}$/.test(seqno!))
    throw new HttpError(
      422,
      'this is not a block; accepted: /block/<workchain>/<16 hex digits of the shard>/<seqno>',
    )
  const place = { workchain: Number(workchain), shard: shard!.toLowerCase(), seqno: Number(seqno) }
  return blockDocument(frame, await readBlock(asked, place))
}
