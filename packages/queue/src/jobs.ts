import { z } from 'zod'

const seqno = z.int().min(1).max(0xffffffff)
const range = { from: seqno, to: seqno }

/** Most masterchain seqnos in one job: bounds what is lost, repeated and held in memory when a job dies. */
export const MAX_JOB_SEQNOS = 256

/** Every kind of job there is. Payloads are seqnos, never blocks: blocks are fetched where they are needed. */
export const Job = z
  .discriminatedUnion('name', [
    /** Newest blocks, as soon as they are there. */
    z.strictObject({ name: z.literal('index_head'), ...range }),
    /** Blocks missed while nobody followed the head: older than the head, newer than what is indexed. */
    z.strictObject({ name: z.literal('index_gap'), ...range }),
    /** History. */
    z.strictObject({ name: z.literal('index_history'), ...range }),
  ])
  .refine((job) => job.from <= job.to && job.to - job.from < MAX_JOB_SEQNOS, {
    message: `from must not be after to, and a job spans at most ${MAX_JOB_SEQNOS} seqnos`,
  })
export type Job = z.infer<typeof Job>
export type JobName = Job['name']

/** Jobs of different lanes never wait for each other: the head has its own workers. */
export type Lane = 'head' | 'backfill'
export const LANES: readonly Lane[] = ['head', 'backfill']

/** Lane of a job and its place in it: lower numbers first, equal ones in order of arrival. */
export const ROUTES: Record<JobName, { readonly lane: Lane; readonly priority: number }> = {
  index_head: { lane: 'head', priority: 1 },
  index_gap: { lane: 'backfill', priority: 1 },
  index_history: { lane: 'backfill', priority: 10 },
}

/** Derived from the work, so that the same work is queued once whoever asks for it. bullmq refuses `:` and bare numbers. */
export const jobId = (job: Job): string => `mc-${job.from}-${job.to}`

/** Milliseconds before attempt `attempt + 1` (attempts count from 1): doubling, capped per lane, because the head cannot wait. */
export function retryDelayMs(lane: Lane, attempt: number): number {
  const cap = lane === 'head' ? 1000 : 30_000
  return Math.min(cap, 100 * 2 ** Math.min(attempt, 20))
}
