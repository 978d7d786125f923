import { type DatabaseHandle, type Examined, type SetAside, writeContracts } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'

type Pool = DatabaseHandle['pool']

interface Target {
  readonly pool: Pool
  readonly log: Pick<Logger, 'warn'>
}

/** What such a contract lacks, in words. */
const UNSTORABLE = 'answers that can be stored'

/**
 * A contract may return values that no column can hold. Numbers cost it a role (`roleRows`); with others,
 * such as texts, it is written as unknown. Other contracts are not affected. Returns those that cannot be
 * written as unknown either, to be set aside. Throws what is not caused by a value.
 */
export async function writeExamined(target: Target, examined: readonly Examined[]): Promise<SetAside[]> {
  const refusal = await refusalOf(target.pool, examined)
  if (refusal === undefined) return []
  const refused: SetAside[] = []
  for (const one of examined) refused.push(...(await writeOne(target, one)))
  return refused
}

async function writeOne({ pool, log }: Target, one: Examined): Promise<SetAside[]> {
  const refusal = await refusalOf(pool, [one])
  if (refusal === undefined) return []
  const { accountId, queuedLt, requeues } = one
  log.warn('contract answers cannot be stored', { account_id: String(accountId), error: refusal })
  if ((await refusalOf(pool, [asUnknown(one)])) === undefined) return []
  return [{ accountId, queuedLt, requeues, attempts: 1, what: UNSTORABLE }]
}

/** Writes them; returns the error if a value among them cannot be stored. */
async function refusalOf(pool: Pool, examined: readonly Examined[]): Promise<unknown> {
  try {
    await writeContracts(pool, examined)
  } catch (error) {
    if (!isDataError(error)) throw error
    return error
  }
}

const asUnknown = (one: Examined): Examined => ({
  ...one,
  found: [],
  ...(one.former && { former: { ...one.former, found: [] } }),
})

/** SQLSTATE classes 22 and 54: a value is out of its column's range or form, or too large for an index. */
const isDataError = (error: unknown): boolean =>
  error instanceof RangeError || /^(22|54)/.test(String((error as { code?: unknown } | null)?.code))
