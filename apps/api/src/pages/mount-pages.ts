import { isAbsolute, parse } from 'node:path'
import type { LiteServerPool } from '@shardwalk/liteserver'
import { type Description, errorDocument } from '@shardwalk/pages'
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express'
import { type Failure, toFailure } from '../http/errors.ts'
import { wantsPage } from '../http/wants-page.ts'
import type { ApiServices } from '../services.ts'
import { mountAssets } from './assets.ts'
import { mountEventsPage } from './mount-events.ts'
import { mountExplorer } from './mount-explorer.ts'
import { mountReference } from './mount-reference.ts'
import { mountStatus } from './mount-status.ts'
import { frameOf, type PageContext, pageContext, sendPage } from './send-page.ts'

export interface PagesOptions {
  /** `public`: without lite servers and sizes. */
  readonly detail: 'full' | 'public'
  /** `NETWORK`. */
  readonly network: string
  /** `DATA_DIR`, whose disk the status shows. */
  readonly dataDir?: string
}

interface Around {
  readonly pool: () => LiteServerPool | undefined
  readonly isShuttingDown: () => boolean
  /** Keys and rate limits. */
  readonly access: RequestHandler | undefined
  readonly hasStreams: boolean
  /** OpenAPI documents of the interfaces. */
  readonly descriptions: () => readonly Description[]
}

/** Mounts all pages. */
export function mountPages(
  app: Express,
  services: ApiServices,
  { detail, network, dataDir, access, descriptions, hasStreams, ...around }: PagesOptions & Around,
): PageContext {
  const assets = mountAssets(app)
  const context = pageContext(services, assets.page, nameOf(network))
  mountStatus(app, context, { ...around, dataDir, isFull: detail === 'full' })
  mountExplorer(app, context, access)
  if (hasStreams) mountEventsPage(app, context)
  mountReference(app, context, { descriptions, files: assets.console })
  return context
}

/**
 * Without the folders and parameters of a path or URL, and as the argument of `start` for a recorded
 * chain.
 */
function nameOf(network: string): string {
  if (/^https?:/.test(network)) return new URL(network).hostname
  return isAbsolute(network) || /[\\/]/.test(network)
    ? parse(network).name.replace(/(_replay)?(\.config)?$/, '')
    : network
}

/** Answers errors of requests by browsers with a page; others are left to the next handler. */
export function pageErrors(context: PageContext) {
  return async (error: unknown, request: Request, response: Response, next: NextFunction): Promise<void> => {
    if (response.headersSent || !wantsPage(request)) return next(error)
    const failure = toFailure(error)
    if (failure.ours) context.services.log.error('page failed', { path: request.path, error })
    const html = errorDocument(await frameOf(context, request), viewOf(failure))
    for (const [name, value] of Object.entries(failure.headers)) response.setHeader(name, value)
    response.setHeader('Cache-Control', 'no-store')
    sendPage(context, response, html, failure.status)
  }
}

const viewOf = ({ status, message, headers }: Failure) => {
  const seconds = Number(headers['Retry-After'])
  return { status, message, retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined }
}
