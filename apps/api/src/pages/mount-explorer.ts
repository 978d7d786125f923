import { formatRawAddress } from '@shardwalk/model'
import {
  accountDocument,
  blockDocument,
  blocksDocument,
  type Frame,
  foundDocument,
  pathTo,
  traceDocument,
  transactionDocument,
} from '@shardwalk/pages'
import type { Express, Request, RequestHandler, Response } from 'express'
import { HttpError } from '../http/errors.ts'
import { mountPath } from '../http/mount.ts'
import { redirectTo } from '../http/own-address.ts'
import { readAccount } from './account-pages.ts'
import { IndexAnswers } from './ask-index.ts'
import { readBlock, readBlocks, readTrace, readTransaction } from './chain-pages.ts'
import { addressOfPath, ExplorerRequest, hashOfPath } from './explorer-request.ts'
import { search } from './search-request.ts'
import { frameOf, type PageContext, refusePrograms, sendPage } from './send-page.ts'

/** Paths of the explorer; requests below them count as requests of the interface. */
const PATHS = ['/search', '/address', '/tx', '/transaction', '/trace', '/block', '/blocks', '/jetton', '/nft']

const OTHER_NETWORK = 'The address was written for the other network: here it is the same account number.'

/** Pages of accounts, transactions, traces and blocks. `access`: as in front of the interface. */
export function mountExplorer(app: Express, context: PageContext, access: RequestHandler | undefined): void {
  const answers = new IndexAnswers(context.services)
  if (access) app.use(PATHS, access)
  const page = (
    paths: string | readonly string[],
    instead: string,
    show: (
      asked: ExplorerRequest,
      request: Request,
      frame: Frame,
    ) => Promise<string | { readonly to: string; readonly status?: 301 }>,
  ) =>
    mountPath(app, paths, async (request: Request, response: Response) => {
      refusePrograms(request, instead)
      const asked = await ExplorerRequest.of(context, answers, request)
      const shown = await show(asked, request, await frameOf(context, request))
      if (typeof shown === 'string') sendPage(context, response, shown)
      else redirectTo(request, response, shown.to, shown.status)
    })

  page('/search', '/api/v3/', async (asked, _request, frame) => {
    const text = asked.parameter('q') ?? ''
    const found = await search(asked, text)
    return found.length === 1
      ? { to: found[0]!.path }
      : foundDocument({ ...frame, query: text.slice(0, 200) }, found)
  })
  page(
    ['/address/:address', '/jetton/:address', '/nft/:address'],
    '/api/v3/accountStates',
    async (asked, request, frame) => {
      const given = String(request.params['address'])
      const address = addressOfPath(given)
      const own = pathTo.account(formatRawAddress(address), asked.testOnly)
      if (request.path !== own) return { to: `${own}${asked.search}`, status: 301 }
      const { range } = await context.services.head.read()
      const view = await readAccount(asked, address, range)
      const notice = asked.parameter('notice') === 'network' ? OTHER_NETWORK : undefined
      return accountDocument(frame, { ...view, notice })
    },
  )
  page(['/tx/:hash', '/transaction/:hash'], '/api/v3/transactions', async (asked, request, frame) => {
    const hash = hashOfPath(String(request.params['hash']))
    if (request.path !== pathTo.transaction(hash)) return { to: pathTo.transaction(hash), status: 301 }
    return transactionDocument(frame, await readTransaction(asked, hash))
  })
  page(['/trace/:hash', '/tx/:hash/trace'], '/api/v3/traces', async (asked, request, frame) => {
    const hash = hashOfPath(String(request.params['hash']))
    return traceDocument(frame, await readTrace(asked, hash))
  })
  page('/blocks', '/api/v3/blocks', async (asked, _request, frame) =>
    blocksDocument(frame, await readBlocks(asked)),
  )
  page('/block/latest', '/api/v3/masterchainInfo', async () => {
    const { range } = await context.services.head.read()
    if (!range) throw new HttpError(404, 'nothing is indexed yet')
    return { to: pathTo.block({ workchain: -1, shard: '8000000000000000', seqno: range.to }) }
  })
  page('/block/:workchain/:shard/:seqno', '/api/v3/blocks', async (asked, request, frame) => {
    const { workchain, shard, seqno } = request.params as Record<string, string>
    if (!/^-?\d{1,10}$/.test(workchain!) || !/^[0-9a-f]{16}$/i.test(shard!) || !/^\d{1,10}$/.test(seqno!))
      throw new HttpError(
        422,
        'this is not a block; accepted: /block/<workchain>/<16 hex digits of the shard>/<seqno>',
      )
    const place = { workchain: Number(workchain), shard: shard!.toLowerCase(), seqno: Number(seqno) }
    return blockDocument(frame, await readBlock(asked, place))
  })
}
