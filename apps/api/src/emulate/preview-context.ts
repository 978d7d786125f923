import type { Db } from '@shardwalk/db'
import { withDeadline } from '@shardwalk/queries'
import { ReplySize } from '@shardwalk/replies'
import { isQueryCanceled, OwnTimeout } from '../http/errors.ts'
import type { RequestContext } from '../http/route.ts'
import type { ApiServices } from '../services.ts'
import type { PreviewQuestion } from './preview.ts'

interface Asked extends Pick<PreviewQuestion, 'client' | 'settings'> {
  readonly signal: AbortSignal
}

/** What previews are rendered with. */
export function previewContext(services: ApiServices, { client, settings, signal }: Asked): RequestContext {
  const { db, head, rules, accounts, writableDb, imageProxy, marketplaces, work } = services
  return {
    db,
    head,
    rules,
    settings,
    accounts,
    writableDb,
    imageProxy,
    marketplaces,
    reading: async <R>(read: (db: Db) => Promise<R>): Promise<R> => {
      try {
        return await withDeadline(db, settings.timeoutMs, read)
      } catch (error) {
        throw settings.timeoutMs !== undefined && isQueryCanceled(error) ? new OwnTimeout() : error
      }
    },
    size: new ReplySize(services.maxReplyBytes),
    testOnly: false,
    work: (name, input) => work.run(name, input, { signal: () => signal, client }),
    hold: () => {},
  }
}

/** Runs work that reads the index. */
export async function withIndex<T>(
  context: RequestContext,
  work: (context: RequestContext) => Promise<T>,
): Promise<T> {
  const { testOnly } = await context.head.read()
  return context.reading((db) => work({ ...context, testOnly, db }))
}
