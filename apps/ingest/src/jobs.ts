import { setMaxListeners } from 'node:events'
import { abortWith, untilAborted } from '@shardwalk/concurrency'
import type { EncodedBatch } from '@shardwalk/db'
import {
  CommitQueue,
  type CommitQueueOptions,
  type IndexRangeOptions,
  indexRange,
  type Sink,
} from '@shardwalk/pipeline'
import type { Job, JobQueue, JobWorker } from '@shardwalk/queue'
import { JobSilence } from './job-silence.ts'
import type { Part } from './part.ts'

export interface JobsOptions
  extends Pick<IndexRangeOptions<EncodedBatch>, 'fetcher' | 'decoder' | 'sink'>,
    Pick<CommitQueueOptions<EncodedBatch>, 'onCommit'> {
  readonly queue: JobQueue
  readonly backfillConcurrency: number
  /** Called after each job of any lane. */
  readonly onDone: (job: Job) => void
}

/** Concurrent jobs of the head, so that this many blocks are in progress however long a round trip takes. */
const HEAD_CONCURRENCY = 12
/** One transaction writes rows while another joins traces, which is done under a lock. */
const HISTORY_COMMITS = 2
/** A job that neither receives nor writes anything for this long is cancelled and run again. */
const SILENCE_MS = { head: 10_000, backfill: 120_000 } as const

interface Running {
  /** Aborted when the worker stops. */
  readonly stopping: AbortSignal
  /** Aborts this job only. */
  readonly controller: AbortController
  readonly commit: (batches: Batches, onBegin: () => void) => Promise<void>
}

type Batches = Parameters<Sink<EncodedBatch>['commit']>[0]

/** Indexes the ranges in the queue. The head has a lane of its own, which never waits for history. */
export class Jobs implements Part {
  private readonly commits: CommitQueue<EncodedBatch>
  /** By job, its first block. A job whose lease has ended may be running twice in this process. */
  private readonly headJobs = new Map<AbortController, number>()
  private workers: readonly JobWorker[] = []

  constructor(private readonly options: JobsOptions) {
    const { sink, onCommit } = options
    const now = () => performance.now()
    this.commits = new CommitQueue({ sink, onCommit, parallel: HISTORY_COMMITS, now })
  }

  async run(): Promise<void> {
    const { queue, backfillConcurrency } = this.options
    this.workers = [
      queue.work({
        lane: 'head',
        concurrency: HEAD_CONCURRENCY,
        handle: (job, { signal }) => this.indexHead(job, signal),
      }),
      queue.work({
        lane: 'backfill',
        concurrency: backfillConcurrency,
        handle: (job, { signal }) => this.indexHistory(job, signal),
      }),
    ]
  }

  /** Accepts no new jobs and abandons running ones; uncommitted work is not recorded as done. */
  async close(timeoutMs: number): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close(timeoutMs)))
  }

  /** Aborts the oldest running job of the head, for which the others wait. It is then tried again. */
  abortHeadJob(reason: Error): void {
    const oldest = Math.min(...this.headJobs.values())
    for (const [controller, from] of this.headJobs) if (from === oldest) controller.abort(reason)
  }

  private async indexHead(job: Job, stopping: AbortSignal): Promise<void> {
    const controller = new AbortController()
    const { commit, end } = this.commits.beginHead(job.from)
    this.headJobs.set(controller, job.from)
    try {
      await this.index(job, { stopping, controller, commit })
    } finally {
      this.headJobs.delete(controller)
      end()
    }
  }

  private indexHistory(job: Job, stopping: AbortSignal): Promise<void> {
    const controller = new AbortController()
    const { signal } = controller
    const commit: Running['commit'] = (batches, onBegin) => this.commits.commit(batches, { signal, onBegin })
    return this.index(job, { stopping, controller, commit })
  }

  private async index(job: Job, { stopping, controller, commit }: Running): Promise<void> {
    const { fetcher, decoder, sink } = this.options
    const urgent = job.name === 'index_head'
    const silence = new JobSilence(urgent ? SILENCE_MS.head : SILENCE_MS.backfill, controller)
    const { signal } = controller
    const unlink = abortWith(controller, stopping)
    // Every fetch of the job adds a listener.
    setMaxListeners(0, signal)
    const commitInTurn = (batches: Batches) => {
      if (!urgent) silence.wait()
      return commit(batches, () => silence.beginToWrite())
    }
    const work = indexRange(job, {
      fetcher,
      decoder,
      urgent,
      signal,
      sink: { indexedRanges: () => sink.indexedRanges(), commit: commitInTurn },
      onProgress: () => silence.touch(),
    })
    try {
      await untilAborted(work, signal)
    } finally {
      silence.end()
      unlink()
    }
    this.options.onDone(job)
  }
}
