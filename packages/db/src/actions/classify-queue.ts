import { type Classification, type ContractFacts, OpenTrace } from '@shardwalk/actions'
import { deriveAccountId } from '@shardwalk/model'
import type pg from 'pg'
import { isDatabaseAway } from '../database-away.ts'
import { isDataRefused } from '../errors.ts'
import { AddressBook } from '../facts/address-book.ts'
import { parseRaw } from '../facts/addresses.ts'
import { noteAskedFacts, queueTracesOfChangedFacts } from '../facts/changed-facts.ts'
import { loadFacts } from '../facts/facts.ts'
import { factsReader } from '../facts/facts-reader.ts'
import { endOfArchive, readArchive } from '../queries/archived-partitions.ts'
import { enqueueActionEvents, newlyClassified } from '../webhooks/enqueue.ts'
import { isArchiveAway } from '../writing/archived-rows.ts'
import { AccountIdCollision } from '../writing/known-accounts.ts'
import { lockShared } from '../writing/locks.ts'
import { type Numbering, withNumbering } from '../writing/numbering.ts'
import { isConflict } from '../writing/transaction.ts'
import { type LoadedTrace, loadTraces } from './load-traces.ts'
import {
  type ClassifyQueueOptions,
  claim,
  FIRST,
  isAfter,
  lastCandidate,
  type Place,
} from './queue-candidates.ts'
import type { TraceRowRead } from './trace-rows.ts'
import { writeActions } from './write-actions.ts'

/** What one round did. `failed`: traces whose classification raised an error. */
export interface Classified {
  readonly traces: number
  readonly actions: number
  readonly failed: number
}

const NOTHING: Classified = { traces: 0, actions: 0, failed: 0 }

/** Statements of a round after the first one while none of the candidates is ready. */
const PAGES = 5
/** Pause before a trace that cannot be read for now is tried again. */
const AGAIN_SECONDS = 60
/** Steps of `queueTracesOfChangedFacts` before traces are claimed. */
const STEPS = 5

/**
 * Classifies waiting traces, newest first, so that the head does not wait for a backfill. Caches addresses
 * between rounds. Any number of processes may do this concurrently; the work of one that dies is taken over
 * by another.
 */
export class QueueClassifier {
  private readonly book = new AddressBook()
  /** Candidates up to here wait for contracts; undefined: all of them have been examined. */
  private sweptTo: Place | undefined

  constructor(
    private readonly pool: pg.Pool,
    private readonly options: ClassifyQueueOptions = {},
  ) {}

  /**
   * Classifies some of the traces in one transaction: claims, actions and the end of waiting become visible
   * together. Returns zero traces if none of those examined is ready. Traces whose contracts changed are
   * queued first, so that they are not classified twice; an error of that is thrown when nothing is ready.
   */
  async round(): Promise<Classified> {
    for (;;) {
      const queued = await settled(this.queueAgain())
      const done = await this.nextReady()
      if (done.traces > 0) return done
      if (queued.status === 'rejected') throw queued.reason
      if (!queued.value) return done
    }
  }

  /**
   * One short step, because traces of a contract with millions of transactions must not delay the head. True:
   * there is more.
   */
  private async queueAgain(): Promise<boolean> {
    for (let step = 0; step < STEPS; step++) if (!(await queueTracesOfChangedFacts(this.pool))) return false
    return true
  }

  /**
   * The newest candidates first, then those after where the last round ended: a round examines a bounded
   * number of them, however many wait for contracts, and each gets its turn.
   */
  private async nextReady(): Promise<Classified> {
    const front = await this.page(FIRST)
    if (front.done.traces > 0 || !front.last) return front.done
    let after = front.last
    if (this.sweptTo && isAfter(this.sweptTo, after)) after = this.sweptTo
    for (let page = 0; page < PAGES; page++) {
      const { done, last } = await this.page(after)
      this.sweptTo = done.traces > 0 ? after : last
      if (done.traces > 0 || !last) return done
      after = last
    }
    return NOTHING
  }

  /**
   * Claims among the next candidates. `last`: the last candidate examined; undefined when there are no more.
   */
  private page(after: Place): Promise<{ readonly done: Classified; readonly last: Place | undefined }> {
    return withNumbering(this.pool, async (client, numbering) => {
      // Keeps facts unchanged until the commit: a writer of facts waits for this lock and then finds the
      // actions.
      await lockShared(client, 'facts')
      const claimed = await claim(client, this.options, after)
      if (claimed.length === 0) return { done: NOTHING, last: await lastCandidate(client, after) }
      const postponed: TraceRowRead[] = []
      const results = await this.classifyAndWrite({ client, numbering, postponed }, claimed)
      const ids = claimed.filter((row) => !postponed.includes(row)).map((row) => row.trace_id)
      await client.query('delete from unclassified_traces where trace_id = any($1)', [ids])
      await postpone(client, postponed)
      const done = {
        traces: ids.length,
        actions: results.reduce((sum, { actions }) => sum + actions.length, 0),
        failed: results.filter(({ state }) => state === 'failed').length,
      }
      return { done, last: undefined }
    })
  }

  /** All in one transaction; one by one when that fails, so that one trace does not stop the others. */
  private async classifyAndWrite(
    target: Target,
    rows: readonly TraceRowRead[],
  ): Promise<readonly Classification[]> {
    const { client, numbering } = target
    await client.query('savepoint traces')
    try {
      const traces = await loadTraces(client, this.book, rows)
      const results = await this.classify(client, traces)
      const fresh = await newlyClassified(client, rows)
      await writeActions(client, numbering, traces, results)
      await enqueueActionEvents(client, fresh)
      await noteAskedFacts(client, askedElsewhere(traces, results))
      return results
    } catch (error) {
      if (error instanceof AccountIdCollision || isConflict(error)) throw error
      await client.query('rollback to savepoint traces')
      if (isArchiveAway(error)) return this.classifyLocal(target, rows)
      const [only] = rows
      if (rows.length > 1 || !only) return this.classifyInTurn(target, rows)
      if (isOfTrace(error)) return [await giveUp(target, only, error)]
      target.postponed.push(only)
      return []
    }
  }

  private async classifyInTurn(target: Target, rows: readonly TraceRowRead[]): Promise<Classification[]> {
    const results: Classification[] = []
    for (const row of rows) results.push(...(await this.classifyAndWrite(target, [row])))
    return results
  }

  /** An archive server is away: what it has is postponed at once, because each attempt may take seconds. */
  private async classifyLocal(
    target: Target,
    rows: readonly TraceRowRead[],
  ): Promise<readonly Classification[]> {
    const end = endOfArchive(await readArchive(target.client))
    const local = rows.filter((row) => row.start_lt >= end)
    target.postponed.push(...rows.filter((row) => row.start_lt < end))
    if (local.length < rows.length) return local.length > 0 ? this.classifyAndWrite(target, local) : []
    if (rows.length > 1) return this.classifyInTurn(target, rows)
    target.postponed.push(...rows)
    return []
  }

  private async classify(client: pg.ClientBase, traces: readonly LoadedTrace[]): Promise<Classification[]> {
    const open = traces.map(({ trace }) => new OpenTrace(trace))
    const idOf = new Map(traces.flatMap(({ accountIds }) => [...accountIds]))
    const facts: ContractFacts = await loadFacts(factsReader({ client, book: this.book, idOf }), open)
    return open.map((trace) => trace.classify(facts))
  }
}

/** One round with a classifier that is then discarded. */
export const classifyWaiting = (pool: pg.Pool, options: ClassifyQueueOptions = {}): Promise<Classified> =>
  new QueueClassifier(pool, options).round()

const settled = async <T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> =>
  (await Promise.allSettled([promise]))[0]

interface Target {
  readonly client: pg.ClientBase
  readonly numbering: Numbering
  /** Traces that cannot be read for now. */
  readonly postponed: TraceRowRead[]
}

/**
 * Accounts that the actions of a trace depend on although they have no transaction in it. The trace cannot be
 * found through its transactions when they change.
 */
function askedElsewhere(traces: readonly LoadedTrace[], results: readonly Classification[]) {
  return traces.flatMap(({ row, accountIds }, index) =>
    [...results[index]!.asked]
      .filter((address) => !accountIds.has(address))
      .map((address) => ({ traceId: row.trace_id, accountId: deriveAccountId(parseRaw(address)) })),
  )
}

/**
 * True if what is stored of the trace is the cause, so that another attempt fails as well: an error without
 * SQLSTATE of code that reads it, or values that the tables refuse.
 */
const isOfTrace = (error: unknown): boolean =>
  isDataRefused(error) ||
  (!isDatabaseAway(error) && !/^[0-9A-Z]{5}$/.test(String((error as { code?: unknown } | null)?.code)))

/** They keep their actions, and are not claimed before the time in `queued_at`. */
async function postpone(client: pg.ClientBase, rows: readonly TraceRowRead[]): Promise<void> {
  if (rows.length === 0) return
  await client.query(
    `update unclassified_traces set queued_at = now() + make_interval(secs => ${AGAIN_SECONDS})
     where trace_id = any($1)`,
    [rows.map((row) => row.trace_id)],
  )
}

/** A trace that cannot be loaded or stored gets no actions, only a row with the reason. */
async function giveUp(
  { client, numbering }: Pick<Target, 'client' | 'numbering'>,
  row: TraceRowRead,
  error: unknown,
): Promise<Classification> {
  const { message, stack } = error instanceof Error ? error : { message: String(error) }
  const failure = { traceId: row.trace_id.toString('base64'), matcher: 'storage', messageHash: null }
  const result: Classification = {
    state: 'failed',
    actions: [],
    failures: [{ ...failure, error: message, stack: stack ?? null }],
    asked: new Set(),
  }
  await writeActions(client, numbering, [{ row, accountIds: new Map() }], [result])
  return result
}
