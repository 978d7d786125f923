import { Agent } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Verdicts } from '@shardwalk/testkit'
import { type AttackReport, refuseStrangers } from './attack.ts'
import { Attacker } from './attacker.ts'
import { type ExpensiveRequest, expensiveRequests, subjects } from './expensive-requests.ts'
import { Probe, type ProbeTimes, summary } from './probe.ts'
import { type Sent, sender } from './send.ts'
import { residentMib, Surroundings, type Target, type TargetOptions } from './target.ts'

export interface RunOptions extends Pick<TargetOptions, 'heapMib' | 'profiles'> {
  readonly requests: number
  /** Of each expensive form at once. */
  readonly expensive: number
  /** Endless get-methods at once. */
  readonly endless: number
  readonly concurrency: number
  readonly slowClients: number
  readonly seed: number
  /** Part of the names of the expensive forms that are sent; default: all. */
  readonly only?: string | undefined
  /** An API that runs already; default: one is started with all that it needs. */
  readonly url?: string | undefined
  readonly metricsUrl?: string | undefined
}

/** Statuses that any route may answer with: docs/security.md. */
const REFUSALS = new Set([413, 422, 429, 503])
/** What expensive calls of lite servers may get, too: the sandbox is out of time, or refuses the message. */
const NODE_FAILURES = new Set([500, 504, 542])
const ENDLESS = fileURLToPath(new URL('./endless-process.ts', import.meta.url))
/** Requests to all routes before memory is taken as that of a service in use. */
const WARMING = 500
/** Time in which memory may go back. Milliseconds. */
const COOL_MS = 20_000

/** Resolves to whether all targets were met. */
export async function runAttack(options: RunOptions): Promise<boolean> {
  const verdicts = new Verdicts()
  if (options.url !== undefined) {
    refuseStrangers(options.url)
    const { url, metricsUrl } = options
    await attackTarget({ url, metricsUrl, ended: () => undefined, close: async () => {} }, options, verdicts)
    return verdicts.print()
  }
  console.log('starting PostgreSQL with the recorded chain, a lite server and the API')
  const around = await Surroundings.open()
  try {
    const target = await around.start(options)
    await attackTarget(target, options, verdicts).finally(() => target.close())
    if (options.endless > 0 && options.only === undefined) await endlessMethods(around, options, verdicts)
  } finally {
    await around.close()
  }
  return verdicts.print()
}

async function attackTarget(target: Target, options: RunOptions, verdicts: Verdicts): Promise<void> {
  const probe = new Probe(target.url)
  const watch = new Watch(target, probe)
  const attacker = new Attacker()
  try {
    const forms = (await expensiveRequests(target.url)).filter(({ name }) =>
      name.includes(options.only ?? ''),
    )
    // Caches and code that every use makes are not growth. Threads that end when idle are no start.
    for (const form of forms) await sender(target.url, new Agent())(form).catch(() => {})
    await attacker.hostile({ url: target.url, requests: WARMING, concurrency: 8, seed: options.seed + 1 })
    await setTimeout(COOL_MS)
    await probe.take()
    await longestTurn(target.metricsUrl)
    await setTimeout(2000)
    await watch.phase('nothing else')
    const before = watch.memory()
    if (options.requests > 0 && options.only === undefined) {
      const { requests, concurrency, seed, slowClients } = options
      const report = await attacker.hostile({ url: target.url, requests, concurrency, seed, slowClients })
      reportHostile(report, verdicts)
      await watch.phase(`${options.requests} hostile requests`)
    }
    if (options.expensive > 0)
      for (const form of forms) await expensive(form, { target, options, verdicts, watch, attacker })
    await setTimeout(COOL_MS)
    await watch.phase('afterwards')
    const after = watch.memory()
    verdicts.add('probe p99 <= 100 ms throughout', watch.worst <= 100, `${watch.worst.toFixed(0)} ms`)
    verdicts.add('no probe failed', watch.failed === 0, `${watch.failed}`)
    verdicts.add('the API lives', target.ended() === undefined, target.ended() ?? 'it does')
    if (before === undefined || after === undefined) return
    verdicts.add('memory <= 512 MiB', watch.peak <= 512, `at most ${watch.peak.toFixed(0)} MiB`)
    const change = `${before.toFixed(0)} MiB before, ${after.toFixed(0)} after`
    verdicts.add('memory afterwards <= +20 %', after <= before * 1.2, change)
  } finally {
    await attacker.close()
    await watch.close()
  }
}

function reportHostile(report: AttackReport, verdicts: Verdicts): void {
  const counts = [...report.statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`)
  console.log(`  ${counts.join(', ')}`)
  for (const line of report.undocumented) console.log(`  undocumented: ${line}`)
  verdicts.add('no undocumented status', report.undocumented.length === 0, `${report.undocumented.length}`)
  verdicts.add('all hostile requests answered', report.unanswered === 0, `${report.unanswered} not`)
}

interface ExpensiveRun {
  readonly target: Target
  readonly options: RunOptions
  readonly verdicts: Verdicts
  readonly watch: Watch
  readonly attacker: Attacker
}

/** The same request many times at once. */
async function expensive(
  form: ExpensiveRequest,
  { target, options, verdicts, watch, attacker }: ExpensiveRun,
): Promise<void> {
  const { statuses, seconds } = await attacker.expensive(target.url, form, options.expensive)
  const isNode = form.verb === 'POST' || form.path.startsWith('/api/v2/')
  const bad = statuses.filter(
    (status) =>
      status === 0 || (status >= 500 && !REFUSALS.has(status) && !(isNode && NODE_FAILURES.has(status))),
  )
  if (bad.length > 0) verdicts.add(`${form.name}`, false, `answered ${[...new Set(bad)]}`)
  const counts = [...new Set(statuses)].map((one) => `${one}: ${statuses.filter((s) => s === one).length}`)
  await watch.phase(
    `${options.expensive} x ${form.name.slice(0, 70)}`,
    `${seconds.toFixed(1)} s, ${counts.join(', ')}`,
  )
}

/** What is seen from outside while something goes on. */
class Watch {
  worst = 0
  failed = 0
  peak = 0
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly target: Target,
    private readonly probe: Probe,
  ) {
    this.timer = setInterval(() => this.memory(), 100)
  }

  /** Resident memory in MiB; undefined: not of this machine, or ended. */
  memory(): number | undefined {
    if (this.target.pid === undefined || this.target.ended() !== undefined) return undefined
    const now = residentMib(this.target.pid)
    this.peak = Math.max(this.peak, now)
    return now
  }

  /** Prints what was seen since the last time. */
  async phase(name: string, outcome = ''): Promise<void> {
    const times = await this.probe.take()
    this.worst = Math.max(this.worst, times.p99)
    this.failed += times.failed
    const loop = await longestTurn(this.target.metricsUrl)
    const memory = this.memory()
    const parts = [
      name.padEnd(78),
      `probe p99 ${times.p99.toFixed(0).padStart(5)} max ${times.max.toFixed(0).padStart(5)} ms`,
      ...(loop === undefined ? [] : [`event loop ${loop.toFixed(0).padStart(5)} ms`]),
      ...(memory === undefined ? [] : [`${memory.toFixed(0).padStart(4)} MiB`]),
      outcome,
    ]
    console.log(parts.join('  '))
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.probe.close()
  }
}

/** The longest that the event loop stood since the last time, in milliseconds. */
async function longestTurn(metricsUrl: string | undefined): Promise<number | undefined> {
  if (metricsUrl === undefined) return undefined
  const text = await fetch(metricsUrl).then(
    (reply) => reply.text(),
    () => '',
  )
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/** One client keeps endless get-methods running until their gas is used up while another sends requests. */
async function endlessMethods(around: Surroundings, options: RunOptions, verdicts: Verdicts): Promise<void> {
  const endless = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'
  const target = await around.start({ entry: ENDLESS, env: { ENDLESS_ACCOUNT: endless } })
  const probe = new Probe(target.url)
  const send = sender(target.url, new Agent({ keepAlive: true }))
  const call = (address: string, client: string, id: number): Sent => ({
    verb: 'POST',
    path: '/api/v2/runGetMethod',
    headers: { 'X-Forwarded-For': client },
    body: JSON.stringify({ address, method: 'seqno', stack: [['num', id]] }),
  })
  try {
    const { addresses } = await subjects(target.url)
    const other = addresses.find((address) => address.toLowerCase() !== endless)!
    while ((await send(call(other, '192.0.2.2', 0))) !== 200) await setTimeout(100)
    await probe.take()
    let isOver = false
    let id = 1
    const attackers = Array.from({ length: options.endless }, async () => {
      for (; !isOver; await setTimeout(20)) await send(call(endless, '192.0.2.1', id++))
    })
    const times: number[] = []
    let refused = 0
    for (const end = performance.now() + 20_000; performance.now() < end; await setTimeout(50)) {
      const start = performance.now()
      if ((await send(call(other, '192.0.2.2', id++))) !== 200) refused++
      times.push(performance.now() - start)
    }
    isOver = true
    const seen = await probe.take()
    await Promise.all(attackers)
    reportEndless(seen, summary(times, refused), { options, verdicts, calls: id })
  } finally {
    await probe.close()
    await target.close()
  }
}

function reportEndless(
  probe: ProbeTimes,
  others: ProbeTimes,
  { options, verdicts, calls }: { options: RunOptions; verdicts: Verdicts; calls: number },
): void {
  const { endless } = options
  console.log(`${endless} endless get-methods at once, ${calls} calls`)
  const of = ({ p50, p99, count }: ProbeTimes) =>
    `p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)} ms of ${count}`
  verdicts.add(`${endless} endless get-methods: probe p99 <= 100 ms`, probe.p99 <= 100, of(probe))
  verdicts.add(`${endless} endless get-methods: other get-methods served`, others.failed === 0, of(others))
}
