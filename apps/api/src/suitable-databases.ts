import { awaitDatabase, DatabaseUnsuitable } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type { ApiConfig } from './config.ts'
import { serverOf } from './open-databases.ts'

const NOTHING_WRITTEN =
  'this server is read-only: messages are not stored, webhooks not delivered; name replicas in ' +
  'DATABASE_READ_URL'

/**
 * Throws `DatabaseUnsuitable`, which names the setting, if one of the databases can never be used, such as
 * through a pooler that drops the settings of sessions. One that refuses or is away is logged: the others
 * answer, and it is tried again.
 */
export async function refuseUnsuitable(
  config: Pick<ApiConfig, 'databaseUrls' | 'databaseWriteUrl' | 'readsFromReplicas'>,
  log: Logger,
): Promise<void> {
  const { databaseUrls, databaseWriteUrl, readsFromReplicas } = config
  const reading = readsFromReplicas ? 'DATABASE_READ_URL' : 'DATABASE_URL'
  const settings = new Map(databaseUrls.map((url) => [url, reading]))
  if (databaseWriteUrl !== undefined && !settings.has(databaseWriteUrl))
    settings.set(databaseWriteUrl, 'DATABASE_URL')
  const tries = [...settings].map(async ([url, setting]) => {
    const server = serverOf(url)
    try {
      const { isReadOnly } = await awaitDatabase({ url, waitMs: 0 })
      if (isReadOnly && url === databaseWriteUrl)
        log.warn(NOTHING_WRITTEN, { setting: 'DATABASE_URL', server })
    } catch (error) {
      if (error instanceof DatabaseUnsuitable)
        throw new DatabaseUnsuitable(`${setting}: ${server}: ${error.message}`)
      log.warn('database cannot be used', { setting, server, error })
    }
  })
  await Promise.all(tries)
}
