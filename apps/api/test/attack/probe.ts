import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '@shardwalk/concurrency'

/** What one client that asks one request after the other saw. Milliseconds. */
export interface ProbeTimes {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Requests with another status than 200, or with no answer. */
  readonly failed: number
}

/** Asks for `path` all the time. */
export class Probe {
  private readonly thread: Worker

  constructor(url: string, path = '/api/v3/masterchainInfo') {
    this.thread = startThread(new URL('./probe-thread.ts', import.meta.url), { url, path })
  }

  /** What it saw since the last time. */
  async take(): Promise<ProbeTimes> {
    this.thread.postMessage('take')
    const [{ times, failed }] = (await once(this.thread, 'message')) as [{ times: number[]; failed: number }]
    return summary(times, failed)
  }

  async close(): Promise<void> {
    await this.thread.terminate()
  }
}

export function summary(times: readonly number[], failed: number): ProbeTimes {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0, failed }
}
