import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '@shardwalk/concurrency'
import type { AttackOptions, AttackReport } from './attack.ts'
import type { ExpensiveRequest } from './expensive-requests.ts'

export interface ExpensiveReport {
  /** 0: no answer. */
  readonly statuses: readonly number[]
  readonly seconds: number
}

export type AttackTask =
  | { readonly kind: 'hostile'; readonly options: AttackOptions }
  | {
      readonly kind: 'expensive'
      readonly url: string
      readonly form: ExpensiveRequest
      readonly count: number
    }

/** Attacks from a thread of its own with a low priority. */
export class Attacker {
  private readonly thread: Worker = startThread(new URL('./attacker-thread.ts', import.meta.url))

  hostile(options: AttackOptions): Promise<AttackReport> {
    return this.run({ kind: 'hostile', options })
  }

  /** The same request many times at once. */
  expensive(url: string, form: ExpensiveRequest, count: number): Promise<ExpensiveReport> {
    return this.run({ kind: 'expensive', url, form, count })
  }

  async close(): Promise<void> {
    await this.thread.terminate()
  }

  private async run<Report>(task: AttackTask): Promise<Report> {
    this.thread.postMessage(task)
    const [report] = (await once(this.thread, 'message')) as [Report]
    return report
  }
}
