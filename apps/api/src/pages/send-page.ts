import { type Assets, type Frame, pageHeaders } from '@shardwalk/pages'
import type { HeadState } from '@shardwalk/queries'
import type { Request, Response } from 'express'
import { HttpError } from '../http/errors.ts'
import { rootOf } from '../http/own-address.ts'
import type { ApiServices } from '../services.ts'

/** What pages need beside their own facts. */
export interface PageContext {
  readonly services: ApiServices
  readonly assets: Assets
  readonly network: string
  /** `Content-Security-Policy` and its companions. */
  readonly headers: Readonly<Record<string, string>>
}

export const pageContext = (services: ApiServices, assets: Assets, network: string): PageContext => ({
  services,
  assets,
  network,
  headers: pageHeaders(services.imageProxy && new URL(services.imageProxy.url).origin),
})

/** How long a page waits for what its frame says of the index. Milliseconds. */
const HEAD_MS = 500

/** The frame of a page; without a database, too. */
export async function frameOf({ services, assets, network }: PageContext, request: Request): Promise<Frame> {
  const head = await quickly(services.head.read())
  return {
    root: rootOf(request),
    assets,
    network,
    indexedTo: head?.range?.to,
    testOnly: head?.testOnly ?? false,
    version: services.version,
    hasExplorer: true,
  }
}

function quickly(head: Promise<HeadState>): Promise<HeadState | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), HEAD_MS)
    const end = (state?: HeadState) => {
      clearTimeout(timer)
      resolve(state)
    }
    head.then(end, () => end())
  })
}

/** Replies with HTML which caches must revalidate unless a header says otherwise. */
export function sendPage(context: PageContext, response: Response, html: string, status = 200): void {
  for (const [name, value] of Object.entries(context.headers)) response.setHeader(name, value)
  // Data of the page are not for scripts of other sites.
  response.removeHeader('Access-Control-Allow-Origin')
  response.setHeader('Vary', 'Accept')
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-cache')
  response.status(status).type('html').send(html)
}

/** Throws `HttpError` 406 when a program asks for a page; `instead` is where it finds the same as JSON. */
export function refusePrograms(request: Request, instead: string): void {
  const accept = request.headers.accept ?? '*/*'
  if (/application\/json/i.test(accept) && !/text\/html|\*\/\*/i.test(accept))
    throw new HttpError(406, `this is a page for people; ${instead} has the same as JSON`)
}
