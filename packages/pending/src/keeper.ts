import { setMaxListeners } from 'node:events'
import { Alarm, loopUntilAborted, withTimeLimit } from '@shardwalk/concurrency'
import {
  type ClaimedPending,
  claimPending,
  type Db,
  deletePending,
  invalidatePending,
  movePendingAfterSetBack,
  savePending,
  trimPending,
  wakePending,
} from '@shardwalk/db'
import { EmulationError } from '@shardwalk/emulation'
import { DecodeError } from '@shardwalk/model'
import type { NodeAccess } from '@shardwalk/node-access'
import type { Logger } from '@shardwalk/observability'
import type { AccountCache } from '@shardwalk/queries'
import { type ConfirmedSource, NOTHING_CONFIRMED } from './confirmed/confirmed-blocks.ts'
import { examine } from './examine.ts'
import { givenUp, type Verdict } from './verdict.ts'

/** What examinations of pending messages need. */
export interface KeeperOptions {
  /** The primary, where the table of pending traces is. */
  readonly db: Db
  readonly accounts: AccountCache
  /** Blocks that are signed and not final; default: none is known. */
  readonly confirmed?: ConfirmedSource | undefined
  /** Undefined while there are no lite servers. */
  readonly node: () => NodeAccess | undefined
  readonly log: Logger
  readonly signal: AbortSignal
  /** Maximum number of messages examined concurrently; default 4. */
  readonly places?: number
  /** Whether any signature counts as right, for tests that lack the keys of wallets. Default false. */
  readonly ignoresSignatures?: boolean | undefined
  /** Time limit of one examination. Milliseconds; default 10,000. */
  readonly deadlineMs?: number
}

/** Interval of reading the table when nothing notifies. Milliseconds. */
const POLL_MS = 1_000
const TRIM_MS = 10_000
/** After an examination that failed: lite servers or the database are away. Milliseconds. */
const AGAIN_MS = 2_000

/**
 * Keeps the expected traces of pending messages up to date. May run in any number of processes: they share
 * the work by leases, and another one takes over what a process that died had begun.
 */
export class PendingKeeper {
  private readonly alarm = new Alarm()
  private readonly underWay = new Set<Promise<void>>()
  private trimmedAt = 0
  private isReported = false

  constructor(private readonly options: KeeperOptions) {}

  /** Number of messages being examined. */
  get count(): number {
    return this.underWay.size
  }

  /** Must be called when messages were admitted or blocks indexed. */
  wake(): void {
    this.alarm.ring()
  }

  async run(): Promise<void> {
    const { signal, log } = this.options
    await loopUntilAborted(() => this.step(), {
      signal,
      onError: (error) => log.warn('pending messages are delayed', { error }),
    })
    await Promise.all(this.underWay)
  }

  private async step(): Promise<void> {
    const { db, signal, places = 4, deadlineMs = 10_000 } = this.options
    const node = this.options.node()
    if (node) {
      if (performance.now() - this.trimmedAt > TRIM_MS) {
        this.trimmedAt = performance.now()
        await movePendingAfterSetBack(db)
        await trimPending(db)
      }
      await wakePending(db)
      const limit = places - this.underWay.size
      // An examination that is over its deadline may still be written for a moment.
      const claims = limit > 0 ? await claimPending(db, { limit, leaseMs: 2 * deadlineMs }) : []
      for (const claim of claims) this.begin(claim, node)
    }
    await this.alarm.wait(POLL_MS, signal)
  }

  private begin(claim: ClaimedPending, node: NodeAccess): void {
    const work = this.examineInTime(claim, node).finally(() => {
      this.underWay.delete(work)
      // There is a free place.
      this.alarm.ring()
    })
    this.underWay.add(work)
  }

  private async examineInTime(claim: ClaimedPending, node: NodeAccess): Promise<void> {
    const { db, accounts, signal, deadlineMs = 10_000, ignoresSignatures = false, log } = this.options
    const { confirmed = NOTHING_CONFIRMED } = this.options
    try {
      const verdict = await withTimeLimit(deadlineMs, signal, (deadline) => {
        // States are asked for many at a time; each is given up with the examination.
        setMaxListeners(0, deadline)
        return examine({ db, accounts, node, confirmed, signal: deadline, ignoresSignatures }, claim)
      }).catch((error: unknown) => this.failed(claim, error))
      await this.apply(claim, verdict)
    } catch (error) {
      // The lease ends, and it is done again.
      log.debug('a pending message is examined later', { error })
    }
  }

  private failed(claim: ClaimedPending, error: unknown): Verdict {
    const { signal, log } = this.options
    const { expires_ms: expiresMs } = claim
    // As it is stored, it can never be emulated.
    if (error instanceof DecodeError || (error instanceof EmulationError && error.retry === 'never'))
      return givenUp(claim, error.message)
    if (!signal.aborted && !this.isReported) log.warn('pending messages are not emulated', { error })
    this.isReported = true
    return { kind: 'keep', update: { dueMs: Math.max(0, Math.min(AGAIN_MS, expiresMs)) } }
  }

  private async apply(claim: ClaimedPending, verdict: Verdict): Promise<void> {
    const { db } = this.options
    if (verdict.kind === 'delete') return deletePending(db, claim)
    if (verdict.kind === 'invalidate') await invalidatePending(db, claim, verdict.reason)
    else if ((await savePending(db, claim, verdict.update)) && verdict.update.trace) this.isReported = false
  }
}
