import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endWithTests } from '@shardwalk/testkit'
import { waitUntil } from './processes.ts'

export const INFRA = fileURLToPath(new URL('../../../infra/', import.meta.url))

export const isInstalled = (command: string): boolean => {
  const found = spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0
  if (!found)
    console.warn(`NO ${command.toUpperCase()}: what needs it is not tried (apt-get install prometheus)`)
  return found
}

/** An expression of a panel or an alert. */
export interface Watched {
  readonly of: string
  readonly isAlert: boolean
  readonly expr: string
}

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr?: string }[]
}

/** Every expression in the dashboards and the alert rules. */
export function watchedExpressions(): readonly Watched[] {
  const folder = join(INFRA, 'grafana/dashboards')
  const panels = readdirSync(folder).flatMap(
    (file) => (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { panels: Panel[] }).panels,
  )
  const ofPanels = panels.flatMap(({ title, targets = [] }) =>
    targets.flatMap(({ expr }) => (expr === undefined ? [] : [{ of: title, isAlert: false, expr }])),
  )
  const rules = readFileSync(join(INFRA, 'alerts.yml'), 'utf8')
  const ofAlerts = [...rules.matchAll(/- alert: (\w+)\n +expr: (?:>-\n((?: {10,}.*\n)+)|(.*)\n)/g)].map(
    ([, name, folded, plain]) => ({
      of: name!,
      isAlert: true,
      expr: (folded ?? plain)!.replace(/\s+/g, ' ').trim(),
    }),
  )
  return [...ofPanels, ...ofAlerts]
}

/** Names in the text of `/metrics`, with the labels of their samples. */
export function metricsIn(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  const labelsOf = (name: string) => found.get(name) ?? found.set(name, new Set()).get(name)!
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) labelsOf(name! + suffix)
  for (const [, name, labels] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm))
    for (const [, label] of (labels ?? '').matchAll(/(\w+)="/g)) labelsOf(name!).add(label!)
  return found
}

/** Added by Prometheus. */
const OWN_LABELS = ['job', 'instance']

/** Metrics and labels in the expression that no process has. */
export function unknownIn(expr: string, metrics: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const code = expr.replace(/"[^"]*"/g, '""')
  const names = [...new Set(code.match(/\b(?:shardwalk|process|nodejs)_\w+/g) ?? [])]
  const missing = names.filter((name) => !metrics.has(name))
  const known = new Set([...OWN_LABELS, ...names.flatMap((name) => [...(metrics.get(name) ?? [])])])
  const labels = [...code.matchAll(/\bby \(([^)]*)\)|(\w+)\s*(?:=~|!~|!=|=)\s*""/g)].flatMap(
    ([, list, label]) => list?.split(',').map((one) => one.trim()) ?? [label!],
  )
  // A counter without samples shows no labels yet.
  const hasSamples = names.some((name) => (metrics.get(name)?.size ?? 0) > 0)
  return [...missing, ...(hasSamples ? labels.filter((label) => !known.has(label)) : [])]
}

/** Prometheus with the rules of `infra`, which asks these addresses every second. */
export class RunningPrometheus {
  private constructor(
    private readonly child: ChildProcess,
    private readonly base: string,
    private readonly folder: string,
  ) {}

  static async start(port: number, targets: Readonly<Record<string, string>>): Promise<RunningPrometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'shardwalk-prometheus-'))
    const jobs = Object.entries(targets).map(
      ([job, target]) => `  - job_name: ${job}\n    static_configs:\n      - targets: ["${target}"]\n`,
    )
    const config =
      'global:\n  scrape_interval: 1s\n  evaluation_interval: 1s\n' +
      `rule_files:\n  - ${INFRA}alerts.yml\nscrape_configs:\n${jobs.join('')}`
    writeFileSync(join(folder, 'prometheus.yml'), config)
    const child = spawn(
      'prometheus',
      [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    )
    endWithTests(child)
    const running = new RunningPrometheus(child, `http://127.0.0.1:${port}`, folder)
    const count = Object.keys(targets).length
    // A rate needs several samples.
    const hasScraped = async () => {
      const [found] = await running.query('count(count_over_time(up[1m]) > 4)').catch(() => [])
      return found?.value[1] === String(count)
    }
    await waitUntil('Prometheus has asked all processes', hasScraped, {
      seen: () => config,
    })
    return running
  }

  /** Series of the expression now. Throws with the reason if it is wrong. */
  async query(expr: string): Promise<readonly { readonly value: readonly [number, string] }[]> {
    const reply = await fetch(`${this.base}/api/v1/query?${new URLSearchParams({ query: expr })}`)
    const body = (await reply.json()) as {
      readonly error?: string
      readonly data?: { readonly resultType: string; readonly result: never }
    }
    if (!body.data) throw new Error(`${expr}: ${body.error}`)
    return body.data.result
  }

  /** Alert rules that were not evaluated without an error, with it. */
  async unhealthyRules(): Promise<readonly string[]> {
    const reply = await fetch(`${this.base}/api/v1/rules`)
    const { data } = (await reply.json()) as {
      readonly data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] }
    }
    return data.groups
      .flatMap(({ rules }) => rules)
      .flatMap(({ name, health, lastError }) => (health === 'err' ? [`${name}: ${lastError}`] : []))
  }

  async stop(): Promise<void> {
    const exited = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill('SIGTERM')
    await exited
    rmSync(this.folder, { recursive: true, force: true })
  }
}
