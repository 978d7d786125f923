import { setTimeout as delay } from 'node:timers/promises'
import { quantile } from '@shardwalk/testkit'
import type { Pool } from 'pg'
import { type Facts, of, PATHS, readFacts } from '../../apps/api/bench/scale-paths.ts'

const REQUESTS_PER_SECOND = 10
/** Further requests are left out, so that a slow API is not asked ever more. */
const MOST_AT_ONCE = 6
const REQUEST_MS = 20_000
const STREAMS = 2
const RECONNECT_MS = 1_000
const FACTS_EVERY_MS = 5 * 60_000

export interface Reply {
  /** Milliseconds of `performance.now()`. */
  readonly from: number
  readonly to: number
  readonly form: string
  /** 0: none came. */
  readonly status: number
}

type Path = (facts: Facts, round: number) => string
const address = (facts: Facts, i: number) => encodeURIComponent(of(facts.busy, i))
const FORMS: readonly (readonly [name: string, path: Path])[] = [
  ...Object.entries(PATHS).map(
    ([name, path]) => [name, (facts: Facts, i: number) => `/api/v3/${path(facts, i)}`] as const,
  ),
  ['getMasterchainInfo', () => '/api/v2/getMasterchainInfo'],
  ['getAddressInformation', (facts, i) => `/api/v2/getAddressInformation?address=${address(facts, i)}`],
  ['getTransactions', (facts, i) => `/api/v2/getTransactions?limit=10&address=${address(facts, i)}`],
  ['readyz', () => '/readyz'],
]

/** Requests of every form in turn at a constant rate, and streams that connect again when they end. */
export class Load {
  /** Events that streams received. */
  events = 0
  /** Requests that were left out. */
  omitted = 0
  /** Of each form. Milliseconds. */
  private readonly times = new Map<string, number[]>()
  private replies: Reply[] = []
  private facts: Facts | undefined
  private atOnce = 0

  constructor(
    private readonly base: string,
    private readonly pool: Pool,
  ) {}

  /** Before anything is asked. */
  async open(): Promise<void> {
    this.facts = await readFacts(this.pool)
  }

  /** Those that came since the last call. */
  takeReplies(): readonly Reply[] {
    const { replies } = this
    this.replies = []
    return replies
  }

  /** The forms with the highest median. */
  slowest(most: number): string[] {
    return [...this.times]
      .map(([form, times]) => ({ form, median: quantile(times, 0.5) }))
      .sort((a, b) => b.median - a.median)
      .slice(0, most)
      .map(({ form, median }) => `${form} ${median.toFixed(0)} ms`)
  }

  async until(signal: AbortSignal): Promise<void> {
    const streams = Array.from({ length: STREAMS }, (_, i) => this.stream(i, signal))
    await Promise.all([this.keepFacts(signal), this.ask(signal), ...streams])
  }

  private async keepFacts(signal: AbortSignal): Promise<void> {
    while (await passes(FACTS_EVERY_MS, signal))
      this.facts = await readFacts(this.pool).catch(() => this.facts)
  }

  private async ask(signal: AbortSignal): Promise<void> {
    const startedAt = performance.now()
    for (let i = 0; ; i++) {
      const due = startedAt + (i * 1_000) / REQUESTS_PER_SECOND
      if (!(await passes(Math.max(0, due - performance.now()), signal))) return
      if (this.atOnce >= MOST_AT_ONCE) this.omitted++
      else void this.request(...FORMS[i % FORMS.length]!, i)
    }
  }

  private async request(form: string, path: Path, i: number): Promise<void> {
    this.atOnce++
    const from = performance.now()
    const status = await answer(`${this.base}${path(this.facts!, i)}`).catch(() => 0)
    this.atOnce--
    const to = performance.now()
    this.replies.push({ from, to, form, status })
    const times = this.times.get(form) ?? []
    times.push(to - from)
    this.times.set(form, times)
  }

  private async stream(index: number, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({
      types: ['transactions', 'actions'],
      addresses: Array.from({ length: 10 }, (_, i) => of(this.facts!.busy, index * 10 + i)),
    })
    do {
      await this.read(body, signal).catch(() => {})
    } while (await passes(RECONNECT_MS, signal))
  }

  private async read(body: string, signal: AbortSignal): Promise<void> {
    const headers = { 'Content-Type': 'application/json' }
    const url = `${this.base}/api/streaming/v2/sse`
    const reply = await fetch(url, { method: 'POST', headers, body, signal })
    const decoder = new TextDecoder()
    for await (const chunk of reply.body ?? [])
      this.events += decoder.decode(chunk, { stream: true }).split('event: event').length - 1
  }
}

async function answer(url: string): Promise<number> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(REQUEST_MS) })
  await reply.arrayBuffer()
  return reply.status
}

/** False if the signal was aborted before. */
const passes = (ms: number, signal: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal }).catch(() => false)
