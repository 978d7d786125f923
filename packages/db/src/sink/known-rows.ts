import type pg from 'pg'
import { readTablesRun } from '../queries/database-run.ts'
import type { EncodedBatch } from '../rows/encode-batch.ts'
import { readActivityWidth } from '../writing/activity.ts'
import { KnownAccounts } from '../writing/known-accounts.ts'
import { readMostMessageLocks } from '../writing/locks.ts'
import { KnownCodes } from './known-codes.ts'
import { assertGlobalId } from './network.ts'

/** Functions to run after the commit: what a transaction writes is remembered only then. */
export type Learned = (() => void)[]

/** What a process remembers of the database, so that batches need not ask for it. */
export class KnownRows {
  private readonly accounts = new KnownAccounts()
  private readonly codes = new KnownCodes()
  private readonly connections = new WeakSet<pg.PoolClient>()
  private globalId: number | undefined
  private messageLocks: number | undefined
  private activityWidth: bigint | undefined
  /** Those that the rows are in: `TABLES_RUN`. Read before anything is remembered. */
  private tables: string | undefined

  /**
   * A new connection may follow a crash of the server that lost the last commits, so what was cached from
   * them is dropped.
   */
  dropOnce(client: pg.PoolClient): void {
    if (this.connections.has(client)) return
    this.connections.add(client)
    this.forget()
  }

  /**
   * False if what a transaction relied on may be of other tables: a backup was restored under open
   * connections. It is forgotten then. `before`: of `unknownAccounts`, because another transaction may have
   * noticed it meanwhile. `now` is read when the transaction has written, and therefore holds locks that
   * whoever restores waits for.
   */
  areSame(before: string, now: string): boolean {
    if (before === now) return true
    if (this.tables !== now) {
      this.forget()
      this.tables = undefined
    }
    return false
  }

  private forget(): void {
    this.accounts.forget()
    this.codes.forget()
    this.globalId = undefined
  }

  /**
   * Accounts of the batches that may not have rows yet, or none in a period, how to remember them, and the
   * tables (`TABLES_RUN`) that have the others.
   */
  async unknownAccounts(client: pg.ClientBase | pg.Pool, batches: readonly EncodedBatch[]) {
    this.activityWidth ??= await readActivityWidth(client)
    const read = this.tables ?? (await readTablesRun(client))
    // Of two transactions that read it, the second must not rename what the first has remembered.
    const tables = (this.tables ??= read)
    const lists = batches.map((batch) => batch.accounts)
    return { ...this.accounts.unknown(lists, this.activityWidth), tables }
  }

  unknownCodes(batches: readonly EncodedBatch[]) {
    return this.codes.unknown(batches.map((batch) => batch.codes))
  }

  /** See `readMostMessageLocks`. */
  async mostMessageLocks(client: pg.ClientBase): Promise<number> {
    this.messageLocks ??= await readMostMessageLocks(client)
    return this.messageLocks
  }

  /** Throws `WrongNetwork` if the database has blocks of another network. */
  async checkNetwork(
    client: pg.ClientBase,
    batches: readonly EncodedBatch[],
    learned: Learned,
  ): Promise<void> {
    for (const globalId of new Set(batches.map((batch) => batch.globalId))) {
      if (globalId === undefined || globalId === this.globalId) continue
      await assertGlobalId(client, globalId)
      learned.push(() => {
        this.globalId = globalId
      })
    }
  }
}
