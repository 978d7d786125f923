import type { Metrics, MetricsRegistry } from './metrics.ts'

type Labels = Readonly<Record<string, string>>

/** What a thread has counted or observed of one metric, in a form that threads can send to each other. */
export interface MetricSamples {
  readonly kind: 'counter' | 'histogram'
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets?: readonly number[] | undefined
  /** Increments of a counter, observations of a histogram, in order. */
  readonly values: readonly (readonly [Labels, number])[]
}

type Gathered = Omit<MetricSamples, 'values'> & { values: (readonly [Labels, number])[] }

/**
 * Metrics of a thread: counters and histograms are kept until they are taken, to be added to the metrics of
 * the process by `addSamples`. Gauges are ignored.
 */
export class RelayedMetrics {
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

  /** All samples since the last call. */
  take(): readonly MetricSamples[] {
    const samples = [...this.gathered.values()]
    this.gathered.clear()
    return samples
  }

  private note(metric: Omit<MetricSamples, 'values'>, value: readonly [Labels, number]): void {
    const known = this.gathered.get(metric.name)
    if (known) known.values.push(value)
    else this.gathered.set(metric.name, { ...metric, values: [value] })
  }
}

/** Adds what a thread has sampled to the metrics of the process. */
export function addSamples(metrics: Metrics, samples: readonly MetricSamples[]): void {
  for (const { kind, name, help, labels, buckets, values } of samples)
    if (kind === 'counter') {
      const counter = metrics.counter(name, help, labels)
      for (const [given, by] of values) counter.inc(given, by)
    } else {
      const histogram = metrics.histogram(name, help, labels, buckets)
      for (const [given, value] of values) histogram.observe(given, value)
    }
}
