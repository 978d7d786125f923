import * as z from 'zod'

const seqno = z.int().min(1).max(0xffffffff)
const range = { from: seqno, to: seqno }

/** Maximum number of masterchain seqnos in a job: limits the work lost or repeated when a job dies. */
export const MAX_JOB_SEQNOS = 256

/** All kinds of jobs. Payloads contain seqnos, not blocks: workers fetch the blocks. */
export const Job = z
  .discriminatedUnion('name', [
    /** The newest blocks, as soon as they exist. */
    z.strictObject({ name: z.literal('index_head'), ...range }),
    /** Blocks missed while nothing followed the head: older than the head, newer than what is indexed. */
    z.strictObject({ name: z.literal('index_gap'), ...range }),
    /** History. */
    z.strictObject({ name: z.literal('index_history'), ...range }),
  ])
  .refine((job) => job.from <= job.to && job.to - job.from < MAX_JOB_SEQNOS, {
    message: `from must not be after to, and a job spans at most ${MAX_JOB_SEQNOS} seqnos`,
  })
export type Job = z.infer<typeof Job>
/** Kinds of jobs. */
export type JobName = Job['name']

/** Jobs of different lanes do not wait for each other: each lane has its own workers. */
export type Lane = 'head' | 'backfill'
/** All lanes. */
export const LANES: readonly Lane[] = ['head', 'backfill']

/** Lane and priority of a job: lower numbers first, equal ones in order of arrival. */
export const ROUTES: Record<JobName, { readonly lane: Lane; readonly priority: number }> = {
  index_head: { lane: 'head', priority: 1 },
  index_gap: { lane: 'backfill', priority: 1 },
  index_history: { lane: 'backfill', priority: 10 },
}

/** Derived from the work, so that the same work is queued only once. bullmq rejects `:` and plain numbers. */
export const jobId = (job: Job): string => `mc-${job.from}-${job.to}`

/**
 * Delay in milliseconds after attempt `attempt` (from 1): doubles up to a limit, which is lower for the head.
 */
export function retryDelayMs(lane: Lane, attempt: number): number {
  const cap = lane === 'head' ? 1000 : 30_000
  return Math.min(cap, 100 * 2 ** Math.min(attempt, 20))
}
