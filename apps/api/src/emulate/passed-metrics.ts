import type { Metrics, MetricsRegistry } from '@shardwalk/observability'

type Labels = Readonly<Record<string, string>>

/** What was counted or observed in a thread. */
export interface MetricNews {
  readonly kind: 'counter' | 'histogram'
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets?: readonly number[] | undefined
  readonly values: readonly (readonly [Labels, number])[]
}

type Gathered = Omit<MetricNews, 'values'> & { values: (readonly [Labels, number])[] }

/** Metrics of a thread: counters and histograms are kept until they are taken. Gauges are not passed on. */
export class PassedMetrics {
  private readonly gathered = new Map<string, Gathered>()

  readonly registry: MetricsRegistry = {
    counter: (name, help, labels = []) => ({
      inc: (given, by = 1) => this.note({ kind: 'counter', name, help, labels }, [given, by]),
    }),
    histogram: (name, help, labels = [], buckets) => ({
      observe: (given, value) =>
        this.note({ kind: 'histogram', name, help, labels, buckets }, [given, value]),
    }),
    gauge: () => ({ set() {}, inc() {} }),
    contentType: '',
    text: async () => '',
  }

  /** What is new since it was last taken. */
  take(): readonly MetricNews[] {
    const news = [...this.gathered.values()]
    this.gathered.clear()
    return news
  }

  private note(metric: Omit<MetricNews, 'values'>, value: readonly [Labels, number]): void {
    const known = this.gathered.get(metric.name)
    if (known) known.values.push(value)
    else this.gathered.set(metric.name, { ...metric, values: [value] })
  }
}

/** Adds what a thread has counted. */
export function addNews(metrics: Metrics, news: readonly MetricNews[]): void {
  for (const { kind, name, help, labels, buckets, values } of news)
    if (kind === 'counter') {
      const counter = metrics.counter(name, help, labels)
      for (const [given, by] of values) counter.inc(given, by)
    } else {
      const histogram = metrics.histogram(name, help, labels, buckets)
      for (const [given, value] of values) histogram.observe(given, value)
    }
}
