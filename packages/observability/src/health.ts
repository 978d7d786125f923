import { errorMessage } from '@shardwalk/model'
/** Result of one check. `ageSeconds` is the time since the last sign of progress, if that applies. */
export interface CheckResult {
  readonly ok: boolean
  readonly error?: string
  readonly ageSeconds?: number
  readonly details?: Readonly<Record<string, unknown>>
}
/** Results of all checks; `ok` depends on required ones alone. */
export interface HealthReport {
  readonly ok: boolean
  /** Unix seconds. */
  readonly now: number
  readonly components: Readonly<Record<string, CheckResult & { readonly required: boolean }>>
}
/** A check of one component; the signal is aborted when its time is over. */
export type Check = (signal: AbortSignal) => CheckResult | Promise<CheckResult>

/** Limits of checks. Milliseconds. */
export interface HealthOptions {
  /** Milliseconds of a clock that is never set back. Default: that of the process. */
  readonly now?: () => number
  /** A check that takes longer has failed. */
  readonly timeoutMs?: number
  /** How long a report is reused, so that frequent probes do not load what they check. */
  readonly cacheMs?: number
}

/**
 * Progress of a worker: what it has last seen and last finished. This distinguishes an idle worker (nothing
 * new seen) from a stuck one (seen but not finished).
 */
export interface Heartbeat {
  /** Records the newest item known to exist, e.g. the seqno of the head. */
  seen(item: number): void
  /** Records the newest finished item. */
  processed(item: number): void
}

/** Checks of the components of a process. */
export interface Health {
  /**
   * Adds a check and returns a function that removes it. With `required: false` it does not affect the total.
   */
  check(name: string, check: Check, options?: { readonly required?: boolean }): () => void
  /**
   * Fails if an item seen more than `maxAgeMs` ago is unprocessed, or if nothing was seen for `maxIdleMs`.
   */
  heartbeat(
    name: string,
    limits: { readonly maxAgeMs: number; readonly maxIdleMs?: number; readonly required?: boolean },
  ): Heartbeat
  report(): Promise<HealthReport>
}

/** Checks run when a report is asked for. */
export function createHealth(options: HealthOptions = {}): Health {
  const now = options.now ?? (() => performance.now())
  const { timeoutMs = 1000, cacheMs = 1000 } = options
  const checks = new Map<string, { readonly check: Check; readonly required: boolean }>()
  let cached: { readonly at: number; readonly report: Promise<HealthReport> } | undefined

  const add = (name: string, check: Check, required: boolean) => {
    if (checks.has(name)) throw new Error(`health check ${name} is registered twice`)
    checks.set(name, { check, required })
    cached = undefined
    return () => void checks.delete(name)
  }
  const collect = async (): Promise<HealthReport> => {
    const results = await Promise.all(
      [...checks].map(
        async ([name, { check, required }]) =>
          [name, { ...(await runCheck(check, timeoutMs)), required }] as const,
      ),
    )
    return {
      ok: results.every(([, result]) => result.ok || !result.required),
      now: Math.floor(Date.now() / 1000),
      components: Object.fromEntries(results),
    }
  }
  return {
    check: (name, check, { required = true } = {}) => add(name, check, required),
    heartbeat(name, { maxAgeMs, maxIdleMs, required = true }) {
      const beat = createBeat(now, maxAgeMs, maxIdleMs)
      add(name, beat.check, required)
      return beat
    },
    report() {
      if (!cached || now() - cached.at >= cacheMs) cached = { at: now(), report: collect() }
      return cached.report
    },
  }
}

async function runCheck(check: Check, timeoutMs: number): Promise<CheckResult> {
  const signal = AbortSignal.timeout(timeoutMs)
  const late = new Promise<CheckResult>((resolve) =>
    signal.addEventListener('abort', () => resolve({ ok: false, error: `no answer within ${timeoutMs} ms` })),
  )
  try {
    return await Promise.race([check(signal), late])
  } catch (error) {
    return { ok: false, error: errorMessage(error) }
  }
}

function createBeat(now: () => number, maxAgeMs: number, maxIdleMs: number | undefined) {
  const started = now()
  let seen: { readonly item: number; readonly at: number } | undefined
  let processed: { readonly item: number; readonly at: number } | undefined
  /** When the oldest unprocessed item was seen. */
  let waitingSince: number | undefined
  return {
    seen(item: number) {
      if (seen && item <= seen.item) return
      seen = { item, at: now() }
      if (!processed || processed.item < item) waitingSince ??= now()
    },
    processed(item: number) {
      if (processed && item <= processed.item) return
      processed = { item, at: now() }
      // Progress restarts the clock: only standing still is a fault; lag has its own metric.
      waitingSince = seen && seen.item > item ? now() : undefined
    },
    check(): CheckResult {
      const last = processed?.at ?? started
      const ageSeconds = (now() - last) / 1000
      const details = { seen: seen?.item ?? null, processed: processed?.item ?? null }
      if (waitingSince !== undefined && now() - waitingSince > maxAgeMs)
        return { ok: false, error: `no progress for ${seconds(now() - waitingSince)} s`, ageSeconds, details }
      const quiet = now() - (seen?.at ?? started)
      if (maxIdleMs !== undefined && quiet > maxIdleMs)
        return { ok: false, error: `nothing seen for ${seconds(quiet)} s`, ageSeconds, details }
      return { ok: true, ageSeconds, details }
    },
  }
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10
