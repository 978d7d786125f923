import { statusDocument, toStatusView } from '@shardwalk/pages'
import type { Express } from 'express'
import { mountPath } from '../http/mount.ts'
import { sendJson } from '../http/reply-writer.ts'
import { frameOf, type PageContext, sendPage } from './send-page.ts'
import { StatusFeed } from './status-feed.ts'
import { StatusReader, type StatusSources } from './status-reader.ts'

interface StatusOptions extends Pick<StatusSources, 'pool' | 'isFull' | 'dataDir'> {
  readonly isShuttingDown: () => boolean
}

/** The status page, its document, and the stream that keeps the page up to date. */
export function mountStatus(app: Express, context: PageContext, options: StatusOptions): void {
  const { services, network } = context
  const reader = new StatusReader({ services, network, ...options, watching: () => feed.size })
  const view = async () => toStatusView(await reader.read())
  const feed = new StatusFeed(view, options.isShuttingDown)
  mountPath(app, '/', async (request, response) => {
    const [frame, shown] = await Promise.all([frameOf(context, request), view()])
    sendPage(context, response, statusDocument(frame, shown))
  })
  mountPath(app, '/status.json', async (_request, response) => {
    response.setHeader('Cache-Control', 'no-cache')
    sendJson(response, JSON.stringify(await reader.read()))
  })
  mountPath(app, '/status/view.json', async (_request, response) => {
    response.setHeader('Cache-Control', 'no-cache')
    sendJson(response, JSON.stringify(await view()))
  })
  mountPath(app, '/status/events', (request, response) => feed.open(request, response))
}
