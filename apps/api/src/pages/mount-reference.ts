import {
  CONSOLE_HEADERS,
  consoleDocument,
  type Description,
  endpointDocument,
  endpointOf,
  referenceDocument,
} from '@shardwalk/pages'
import type { Express } from 'express'
import { HttpError } from '../http/errors.ts'
import { mountPath } from '../http/mount.ts'
import { baseOf, redirectTo } from '../http/own-address.ts'
import type { ConsoleAssets } from './assets.ts'
import { frameOf, type PageContext, sendPage } from './send-page.ts'

/** Where clients of TON Center look for its documentation. */
const FORMER = ['/api/v3', '/api/v2', '/api/v3/index.html', '/api/v2/index.html']

/** The reference, made from the descriptions of the interfaces, and the console. */
export function mountReference(
  app: Express,
  context: PageContext,
  {
    descriptions,
    files,
  }: { readonly descriptions: () => readonly Description[]; readonly files: ConsoleAssets },
): void {
  mountPath(app, '/docs', async (request, response) => {
    sendPage(context, response, referenceDocument(await frameOf(context, request), descriptions()))
  })
  mountPath(app, '/docs/console', async (request, response) => {
    const html = consoleDocument(await frameOf(context, request), files)
    sendPage({ ...context, headers: CONSOLE_HEADERS }, response, html)
  })
  mountPath(app, FORMER, (request, response) =>
    redirectTo(request, response, request.path.endsWith('index.html') ? '/docs/console' : '/docs'),
  )
  mountPath(app, '/docs/:method/*path', async (request, response) => {
    const endpoint = endpointOf(descriptions(), request.path)
    if (!endpoint) throw new HttpError(404, 'there is no such endpoint; /docs lists all')
    sendPage(context, response, endpointDocument(await frameOf(context, request), endpoint, baseOf(request)))
  })
}
