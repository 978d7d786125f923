import { sleep } from '@shardwalk/concurrency'
import type { McBlockSeqno } from '@shardwalk/model'
import type { SeqnoRange } from '@shardwalk/pipeline'
import type pg from 'pg'
import type { NewRow } from '../database-types.ts'
import { CommitConflict, isDataRefused, refusalIn } from '../errors.ts'
import type { EncodedBatch } from '../rows/encode-batch.ts'
import { enqueueUndecided } from '../watch/decide.ts'
import { forgetAgain, noteUnread } from '../watch/forget-again.ts'
import { isArchivedWrite, RangeArchived } from '../writing/archived-rows.ts'
import { AccountIdCollision, assignOtherIds, insertAccounts } from '../writing/known-accounts.ts'
import { lock, lockSeqnos } from '../writing/locks.ts'
import { Partitions } from '../writing/partitions.ts'
import {
  addRanges,
  cutPartial,
  isLaterIndexed,
  type Progress,
  readProgress,
  toRanges,
} from '../writing/ranges.ts'
import { inTransaction, isConflict, isPartitionMissing } from '../writing/transaction.ts'
import { announce, enqueueEvents } from './announce.ts'
import { BeingDropped } from './being-dropped.ts'
import { deleteRange, deleteSeqnos } from './delete-range.ts'
import { KnownRows, type Learned } from './known-rows.ts'
import { insertQuarantine } from './quarantine.ts'
import { ltRangesOf, seqnosOf } from './ranges-of-batches.ts'
import { undoFalseBlocks } from './undo-false-blocks.ts'
import { type WriteOptions, writeBatches } from './write-batches.ts'

/** How rows are partitioned, and how often a conflict is retried. */
export interface SinkOptions {
  /** Width of a partition in lt. Default `DEFAULT_PARTITION_WIDTH`. */
  readonly partitionWidth?: bigint
  /** Attempts while concurrent writers cause conflicts. Default 6. */
  readonly attempts?: number
}

/** What is written together with the batches. */
export interface CommitOptions {
  /** Blocks of these batches that could not be decoded; written in the same transaction. */
  readonly quarantine?: readonly NewRow<'quarantine'>[]
}

/** What a call did with the batches that it was given: together all of them. */
export interface CommitResult {
  /** Masterchain seqnos whose rows this call wrote. */
  readonly written: readonly McBlockSeqno[]
  /** Masterchain seqnos that were indexed already. */
  readonly skipped: readonly McBlockSeqno[]
}

/**
 * Writes encoded batches. May be called twice, in any order of seqnos and from several processes, with the
 * same result. Use one instance per process. Calls may overlap; each takes a connection of the pool, and a
 * second one while it creates a partition.
 */
export class BatchSink {
  private readonly partitions: Partitions
  private readonly known = new KnownRows()
  private readonly attempts: number

  constructor(
    private readonly pool: pg.Pool,
    options: SinkOptions = {},
  ) {
    this.partitions = new Partitions(pool, options.partitionWidth)
    this.attempts = options.attempts ?? 6
  }

  /**
   * One transaction: rows, current states and progress of all batches become visible together, then listeners
   * are notified. Throws `AccountIdTaken` (encode again with its overrides), `WrongNetwork`,
   * `CommitConflict`, `BeingDropped`; other errors are the database's.
   */
  commitBatches(batches: readonly EncodedBatch[], options: CommitOptions = {}): Promise<CommitResult> {
    return this.retried(batches, async () => {
      await this.addAccounts(batches)
      return this.transaction((client, learned) => this.commit(client, batches, { ...options, learned }), {
        keepsPlans: true,
      })
    })
  }

  /**
   * Replaces everything stored for the range, and derived from it, by the batches, which must cover it
   * completely, in one transaction. Throws as `commitBatches`.
   */
  repairRange(
    range: SeqnoRange,
    batches: readonly EncodedBatch[],
    options: CommitOptions = {},
  ): Promise<CommitResult> {
    const seqnos = seqnosOf(batches).sort((a, b) => a - b)
    if (
      seqnos.length !== range.to - range.from + 1 ||
      seqnos.some((seqno, index) => seqno !== range.from + index)
    )
      throw new RangeError(`repair of ${range.from} to ${range.to} needs each batch once`)
    return this.retried(batches, () =>
      this.transaction(async (client, learned) => {
        await lockSeqnos(client, seqnos)
        await noteUnread(client, range)
        await deleteRange(client, range)
        await this.write(client, batches, { ...REPLACING, isRepair: true, learned, ...options })
        await undoFalseBlocks(client)
        return { written: seqnos, skipped: [] }
      }),
    )
  }

  /**
   * The database's error for these rows; undefined if it accepts them. Writes nothing. `replacing`: range
   * whose rows they would replace.
   */
  async refusal(
    batches: readonly EncodedBatch[],
    { replacing }: { readonly replacing?: SeqnoRange } = {},
  ): Promise<string | undefined> {
    const rehearsed = new Error('rolled back')
    try {
      await this.retried(batches, () =>
        this.transaction(async (client, learned) => {
          if (replacing) await deleteRange(client, replacing)
          const progress = await readProgress(client, seqnosOf(batches))
          const replaces = replacing !== undefined || (await deletePartial(client, batches, progress))
          await this.write(client, batches, { ...REPLACING, replaces, learned })
          throw rehearsed
        }),
      )
    } catch (error) {
      if (error === rehearsed) return undefined
      if (isDataRefused(error)) return (refusalIn(error) as Error).message
      throw error
    }
  }

  private async commit(
    client: pg.PoolClient,
    batches: readonly EncodedBatch[],
    options: CommitOptions & { readonly learned: Learned },
  ): Promise<CommitResult> {
    const seqnos = seqnosOf(batches)
    await lockSeqnos(client, seqnos)
    const progress = await readProgress(client, seqnos)
    const isDone = (seqno: McBlockSeqno) => progress.isIndexed(seqno) && !progress.isPartial(seqno)
    const fresh = batches.filter((batch) => !isDone(batch.mcBlockSeqno))
    const written = seqnosOf(fresh)
    const skipped = seqnos.filter(isDone)
    if (fresh.length === 0) return { written, skipped }
    const first = Math.min(...written)
    if (progress.keptFrom !== undefined && first < progress.keptFrom)
      throw new BeingDropped(progress.keptFrom)
    const isSomethingLater = () => isLaterIndexed(client, first)
    const replaces = await deletePartial(client, fresh, progress)
    await this.write(client, fresh, { ...(replaces ? REPLACING : { isSomethingLater }), ...options })
    return { written, skipped }
  }

  private async write(
    client: pg.PoolClient,
    batches: readonly EncodedBatch[],
    options: CommitOptions & Pick<WriteOptions, 'isSomethingLater'> & Writing,
  ): Promise<void> {
    const { known } = this
    const { accounts, remember, tables: before } = await known.unknownAccounts(client, batches)
    const codes = known.unknownCodes(batches)
    options.learned.push(remember, codes.remember)
    await insertAccounts(client, accounts)
    await known.checkNetwork(client, batches, options.learned)
    const mostMessageLocks = await known.mostMessageLocks(client)
    const { traces, orphanLts } = await writeBatches(client, batches, {
      ...options,
      mostMessageLocks,
      codes: codes.rows,
    })
    await insertQuarantine(client, options.quarantine ?? [])
    const seqnos = seqnosOf(batches)
    if (options.isRepair) await forgetAgain(client, seqnos)
    await lock(client, 'ranges')
    if (!(await addRanges(client, toRanges(seqnos)))) {
      const { keptFrom } = await readProgress(client, seqnos)
      throw new BeingDropped(keptFrom!)
    }
    if (options.replaces) await cutPartial(client, toRanges(seqnos))
    const { after, watching, tables } = await announce(client, batches, orphanLts)
    if (!known.areSame(before, tables)) throw new TablesReplaced()
    if (watching) {
      const complete = traces.filter(({ state }) => state === 'complete')
      await enqueueUndecided(
        client,
        seqnos,
        complete.map(({ piece }) => piece),
      )
    }
    if (after !== null) await enqueueEvents(client, batches, { after, isRepair: options.replaces === true })
  }

  /**
   * A transaction of their own, so that others with one of these accounts, such as the head beside history,
   * do not wait until all rows are written. Accounts without rows do no harm if the rows do not follow.
   */
  private async addAccounts(batches: readonly EncodedBatch[]): Promise<void> {
    const { accounts, remember } = await this.known.unknownAccounts(this.pool, batches)
    if (accounts.length === 0) return
    await this.transaction(
      async (client, learned) => {
        learned.push(remember)
        await this.known.checkNetwork(client, batches, learned)
        await insertAccounts(client, accounts)
      },
      { keepsPlans: true },
    )
  }

  private async retried(
    batches: readonly EncodedBatch[],
    work: () => Promise<CommitResult>,
  ): Promise<CommitResult> {
    await this.partitions.ensure(batches.flatMap(ltRangesOf))
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        // After the rollback, because ids inserted by this transaction would conflict.
        if (error instanceof AccountIdCollision)
          throw await inTransaction(this.pool, (client) => assignOtherIds(client, error.accounts))
        if (isArchivedWrite(error)) throw new RangeArchived(error)
        const isDropped = isPartitionMissing(error) || error instanceof TablesReplaced
        if (!isDropped && !isConflict(error)) throw error
        if (attempt >= this.attempts) throw new CommitConflict(seqnosOf(batches), attempt, error)
        if (isDropped) await this.renewPartitions(batches)
        else await sleep(20 * 2 ** attempt)
      }
    }
  }

  private async transaction<T>(
    work: (client: pg.PoolClient, learned: Learned) => Promise<T>,
    { keepsPlans = false }: { readonly keepsPlans?: boolean } = {},
  ): Promise<T> {
    const learned: Learned = []
    const result = await inTransaction(
      this.pool,
      (client) => {
        this.known.dropOnce(client)
        return work(client, learned)
      },
      { durable: false, keepsPlans },
    )
    for (const remember of learned) remember()
    return result
  }

  /** Old messages belong to partitions that retention may have dropped; a backup may lack the newest. */
  private async renewPartitions(batches: readonly EncodedBatch[]): Promise<void> {
    this.partitions.forget()
    await this.partitions.ensure(batches.flatMap(ltRangesOf))
  }
}

/** Aborts a transaction that left out rows which other tables had: see `KnownRows.areSame`. */
class TablesReplaced extends Error {
  constructor() {
    super('the tables were restored from a backup meanwhile')
  }
}

/**
 * Deletes the rows of blocks that lack what is watched now, so that they are written again with it. False if
 * there are no such blocks.
 */
async function deletePartial(
  client: pg.ClientBase,
  batches: readonly EncodedBatch[],
  { isIndexed, isPartial }: Progress,
): Promise<boolean> {
  const partial = seqnosOf(batches).filter((seqno) => isIndexed(seqno) && isPartial(seqno))
  if (partial.length > 0) await deleteSeqnos(client, partial, { keepsStates: true })
  return partial.length > 0
}

interface Writing {
  readonly learned: Learned
  /** Set if rows of the same blocks were deleted before: table `gone`. */
  readonly replaces?: boolean
  /** Set if the blocks contain exactly the rows that they had before. */
  readonly isRepair?: boolean
}

const REPLACING = { isSomethingLater: async () => true, replaces: true } as const
