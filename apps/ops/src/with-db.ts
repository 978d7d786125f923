import { sleep } from '@shardwalk/concurrency'
import { createDb, type DatabaseHandle, type DatabaseOptions, isDatabaseAway } from '@shardwalk/db'

type Limits = Pick<DatabaseOptions, 'statementTimeoutMs'>

/** Opens the database for one use and closes it afterwards, whatever happens. */
export async function withDb<T>(
  url: string,
  use: (handle: DatabaseHandle) => Promise<T>,
  limits: Limits = {},
): Promise<T> {
  const handle = createDb({ url, max: 4, applicationName: 'shardwalk ops', ...limits })
  try {
    return await use(handle)
  } finally {
    await handle.close()
  }
}

/** Like `withDb`, for idempotent work: retries for half a minute if the server goes away and is restarted. */
export async function withDbRetry<T>(
  url: string,
  use: (handle: DatabaseHandle) => Promise<T>,
  limits: Limits = {},
): Promise<T> {
  const deadline = performance.now() + RETRY.forMs
  for (;;)
    try {
      return await withDb(url, use, limits)
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > deadline) throw error
      await sleep(RETRY.everyMs)
    }
}
const RETRY = { everyMs: 500, forMs: 30_000 } as const
