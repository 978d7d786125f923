import { loopUntilAborted, sleep, whileLeased, withDeadline } from '@shardwalk/concurrency'
import {
  announceFetcher,
  claimMetadata,
  type Db,
  failMetadata,
  type MetadataTask,
  prolongMetadata,
  putOffMetadata,
  saveMetadata,
} from '@shardwalk/db'
import {
  failedSeconds,
  lifetimeSeconds,
  MAX_ATTEMPTS,
  type MetadataFetcher,
  retryDelaySeconds,
} from '@shardwalk/metadata'
import { formatRawAddress } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import { LEASE } from './lease.ts'

export interface WorkerOptions {
  readonly db: Db
  readonly fetcher: MetadataFetcher
  readonly log: Logger
  readonly signal: AbortSignal
  /** Documents fetched concurrently. Default 32. */
  readonly concurrency?: number
  readonly idleMs?: number
  /** Called in every round, for the watchdog. */
  readonly onRound?: () => void
  /** Random numbers in [0, 1). */
  readonly random?: () => number
}

/**
 * A task that takes longer gives up its place. Longer than the worst case: three gateways of ten seconds
 * each, after waiting for sixteen other requests.
 */
const TASK_MS = 270_000
const ANNOUNCE_MS = 60_000
/** Pause after an error of the database. */
const FAILED_MS = 5_000

/** Takes due tasks and completes them until the signal aborts. No transaction is open during a fetch. */
export async function workMetadata(options: WorkerOptions): Promise<void> {
  const { db, log, signal } = options
  const concurrency = options.concurrency ?? 32
  const running = new Set<Promise<void>>()
  let announcedAt = Number.NEGATIVE_INFINITY
  const round = async () => {
    options.onRound?.()
    if (performance.now() - announcedAt > ANNOUNCE_MS) {
      await announceFetcher(db)
      announcedAt = performance.now()
    }
    const limit = concurrency - running.size
    const tasks = await claimMetadata(db, { limit, leaseSeconds: LEASE.seconds })
    for (const task of tasks) {
      const work = finishTask(task, options).finally(() => running.delete(work))
      running.add(work)
    }
    if (running.size >= concurrency) await Promise.race(running)
    else if (tasks.length === 0) await sleep(options.idleMs ?? 1_000, signal)
  }
  const onError = (error: unknown, retryInMs: number) =>
    log.warn('metadata queue could not be read', { error, retry_in_ms: retryInMs })
  await loopUntilAborted(round, { signal, onError, firstDelayMs: FAILED_MS })
  await Promise.all(running)
}

/** A task whose result cannot be written stays leased and becomes due again. */
async function finishTask(task: MetadataTask, options: WorkerOptions): Promise<void> {
  try {
    const late = () => new Error(`the document was not fetched and stored within ${TASK_MS} ms`)
    const prolong = () => prolongMetadata(options.db, task, LEASE.seconds)
    await whileLeased(() => withDeadline(endTask(task, options), TASK_MS, late), prolong, LEASE)
  } catch (error) {
    const account = formatRawAddress(task.address)
    const retry = { retry_in_ms: LEASE.seconds * 1000 }
    options.log.warn('metadata task failed', { account, type: task.type, error, ...retry })
  }
}

async function endTask(
  task: MetadataTask,
  { db, fetcher, log, signal, random = Math.random }: WorkerOptions,
) {
  const { type: kind, content, domain, isAsked } = task
  const outcome = await fetcher.run({ kind, content, domain, isUrgent: isAsked }, signal)
  if (outcome.state === 'ok') {
    const { record } = outcome
    return await saveMetadata(db, task, { record, lifetimeSeconds: lifetimeSeconds(task.type, random()) })
  }
  if (outcome.state === 'busy')
    return await putOffMetadata(db, task, {
      delaySeconds: outcome.retryAfterMs / 1000,
      fault: 'busy',
      isAttempt: false,
    })
  const { fault, isLasting, fallback, retryAfterMs = 0 } = outcome
  if (signal.aborted)
    return await putOffMetadata(db, task, { delaySeconds: 0, fault: 'stopped', isAttempt: false })
  if (!isLasting && task.attempts < MAX_ATTEMPTS) {
    const resting = (retryAfterMs / 1000) * (1 + random())
    const delaySeconds = Math.max(retryDelaySeconds(task.attempts, random()), resting)
    return await putOffMetadata(db, task, { delaySeconds, fault, isAttempt: true })
  }
  const account = formatRawAddress(task.address)
  log.debug('metadata not available', { account, type: task.type, fault })
  await failMetadata(db, task, { fallback, againSeconds: failedSeconds(random()) })
}
