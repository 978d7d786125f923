import { whileLeased } from '@shardwalk/concurrency'
import { type AirdropColumns, airdropItem } from '@shardwalk/contracts'
import {
  type AirdropClaim,
  type AirdropTask,
  type DatabaseHandle,
  finishAirdrop,
  prolongAirdrop,
  putOffAirdrop,
  writeAirdrop,
} from '@shardwalk/db'
import { FetchError, HostBusy, HostResting, type MetadataFetcher } from '@shardwalk/metadata'
import { formatRawAddress } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import type { TvmPool } from '@shardwalk/tvm'
import { LEASE } from '../lease.ts'
import { BadList, readList } from './read-list.ts'
import { WalletFinder } from './wallet-finder.ts'

export interface ImportOptions {
  readonly database: Pick<DatabaseHandle, 'db' | 'pool'>
  readonly fetcher: MetadataFetcher
  readonly log: Logger
  readonly signal: AbortSignal
  /** Maximum size of the file, bytes. */
  readonly maxBytes: number
  /** Number of owners per transaction. Default 500. */
  readonly batch?: number
  /** Runs get-methods of masters. */
  readonly tvm: TvmPool
}

/** `outdated`: another process took over, or the jetton has another list meanwhile. */
export type ImportOutcome = 'imported' | 'removed' | 'failed' | 'put_off' | 'outdated'

const DOWNLOAD = { timeoutMs: 300_000, firstByteTimeoutMs: 30_000, accept: '*/*' }
const DAY = 86_400
const NOT_INDEXED = "the state of the master or the network's configuration is not indexed yet"

/** Why a list was not imported; `fault` is stored. `isLasting`: retrying soon would not help. */
class ImportFailed extends Error {
  constructor(
    readonly fault: string,
    readonly isLasting: boolean,
    problem: string,
  ) {
    super(problem)
  }
}

/**
 * Imports one claimed list, resuming an interrupted import, or removes the rows of a jetton that has no list
 * any more.
 */
export async function importList(task: AirdropTask, options: ImportOptions): Promise<ImportOutcome> {
  const { database, log, signal } = options
  const prolong = () => prolongAirdrop(database.db, task, LEASE.seconds)
  if (!task.root) {
    await whileLeased(() => finishAirdrop(database.pool, task), prolong, LEASE)
    return 'removed'
  }
  try {
    const { root } = task
    return await whileLeased(() => importFrom(task, root, options), prolong, LEASE)
  } catch (error) {
    const stopped = signal.aborted && { fault: 'stopped', delaySeconds: 0, isAttempt: false }
    const putOff = stopped || postponementOf(error, task.attempts)
    if (!putOff) throw error
    await putOffAirdrop(database.db, task, putOff)
    if (!putOff.isAttempt) return 'put_off'
    const { fault, delaySeconds } = putOff
    log.warn('owner list not imported', {
      jetton: formatRawAddress(task.address),
      uri: task.uri,
      fault,
      error,
      retry_in_ms: delaySeconds * 1000,
    })
    return 'failed'
  }
}

/** Undefined for internal errors and those of the database. */
function postponementOf(error: unknown, attempts: number) {
  // A list is not given up: that its host rests says nothing new of it.
  if (error instanceof HostBusy || error instanceof HostResting)
    return { fault: 'busy', delaySeconds: error.retryAfterMs / 1000, isAttempt: false }
  const known = error instanceof FetchError || error instanceof ImportFailed
  if (error instanceof BadList) return { fault: 'parse', delaySeconds: DAY, isAttempt: true }
  if (!known) return undefined
  const delaySeconds = error.isLasting ? DAY : Math.min(60 * 2 ** (attempts - 1), DAY)
  return { fault: error.fault, delaySeconds, isAttempt: true }
}

async function importFrom(task: AirdropTask, root: Buffer, options: ImportOptions): Promise<ImportOutcome> {
  const { database, fetcher, signal, maxBytes, log, tvm } = options
  const finder = await WalletFinder.open(database.db, task.jettonId, tvm)
  if (!finder) throw new ImportFailed('state', false, NOT_INDEXED)
  const file = await fetcher.download(task.uri ?? '', { ...DOWNLOAD, maxBytes }, signal)
  const list = await readList(file, root, signal)
  const start = performance.now()
  const { length, skipped } = list
  const jetton = formatRawAddress(task.address)
  log.info('owner list import started', { jetton, owners: length, skipped, from: task.done })
  if (!(await writeAll(task, { list, finder, options }))) return 'outdated'
  await finishAirdrop(database.pool, task)
  const seconds = Math.round((performance.now() - start) / 1000)
  log.info('owner list imported', { jetton, owners: length, seconds })
  return 'imported'
}

interface Work {
  readonly list: AirdropColumns
  readonly finder: WalletFinder
  readonly options: ImportOptions
}

async function writeAll(task: AirdropTask, { list, finder, options }: Work): Promise<boolean> {
  const { database, signal, batch = 500 } = options
  for (let from = task.done; from < list.length; from += batch) {
    signal.throwIfAborted()
    const done = Math.min(from + batch, list.length)
    const claims = await claimsOf(list, from, done, finder)
    if (claims.length === 0)
      throw new ImportFailed('wallets', true, `the master names no wallet of owners ${from} to ${done - 1}`)
    const isMine = await writeAirdrop(database.pool, task, { claims, done })
    if (!isMine) return false
  }
  return true
}

/** Owners for whom the master returns no wallet are omitted. */
async function claimsOf(
  list: AirdropColumns,
  from: number,
  to: number,
  finder: WalletFinder,
): Promise<AirdropClaim[]> {
  const items = Array.from({ length: to - from }, (_, index) => airdropItem(list, from + index))
  const wallets = await Promise.all(items.map(({ owner }) => finder.walletOf(owner)))
  return items.flatMap((item, index) => {
    const wallet = wallets[index]
    return wallet ? [{ ...item, wallet }] : []
  })
}
