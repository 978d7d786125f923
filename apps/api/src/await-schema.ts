import { sleep } from '@shardwalk/concurrency'
import { checkSchema, type Db, SchemaTooNew, SchemaTooOld } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'

const CHECK_AGAIN_MS = 1_000

/**
 * Waits until another process has migrated the database to this version, because the API may lack the
 * privileges. Throws `SchemaTooNew`, and `SchemaTooOld` after `seconds`. Does not wait for an unavailable
 * database; the API answers 503 until it returns.
 */
export async function awaitSchema(
  db: Db,
  { seconds, log, signal }: { readonly seconds: number; readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  const deadline = performance.now() + 1_000 * seconds
  for (let attempt = 1; !signal.aborted; attempt++)
    try {
      return await checkSchema(db)
    } catch (error) {
      if (error instanceof SchemaTooNew) throw error
      if (!(error instanceof SchemaTooOld)) return log.warn('database is not ready', { error })
      if (performance.now() >= deadline) throw error
      if (attempt === 1) log.warn('waiting for the database to be migrated', { error, seconds })
      await sleep(CHECK_AGAIN_MS, signal)
    }
}
