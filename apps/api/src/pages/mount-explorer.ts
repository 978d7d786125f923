import type { Express, RequestHandler } from 'express'
import { mountPath } from '../http/mount.ts'
import { redirectTo } from '../http/own-address.ts'
import { IndexAnswers } from './ask-index.ts'
import { EXPLORER_PAGES } from './explorer-pages.ts'
import { ExplorerRequest } from './explorer-request.ts'
import { frameOf, type PageContext, refusePrograms, sendPage } from './send-page.ts'

/** Paths of the explorer; requests below them count as requests of the interface. */
const PATHS = ['/search', '/address', '/tx', '/transaction', '/trace', '/block', '/blocks', '/jetton', '/nft']

/** Pages of accounts, transactions, traces and blocks. `access`: as in front of the interface. */
export function mountExplorer(app: Express, context: PageContext, access: RequestHandler | undefined): void {
  const answers = new IndexAnswers(context.services)
  if (access) app.use(PATHS, access)
  for (const { paths, instead, show } of EXPLORER_PAGES)
    mountPath(app, paths, async (request, response) => {
      refusePrograms(request, instead)
      const asked = await ExplorerRequest.of(context, answers, request)
      const shown = await show({ context, asked, request, frame: await frameOf(context, request) })
      if (typeof shown === 'string') sendPage(context, response, shown)
      else redirectTo(request, response, shown.to, shown.status)
    })
}
