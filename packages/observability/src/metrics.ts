import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

type Labels<L extends string> = Readonly<Record<L, string>>

/** A number that only grows. */
export interface CounterMetric<L extends string> {
  inc(labels: Labels<L>, by?: number): void
}
/** A number that goes up and down. */
export interface GaugeMetric<L extends string> {
  set(labels: Labels<L>, value: number): void
  inc(labels: Labels<L>, by?: number): void
}
/** A distribution of values. */
export interface HistogramMetric<L extends string> {
  /** In the unit of the metric's name, e.g. seconds for `_seconds`. */
  observe(labels: Labels<L>, value: number): void
}

/**
 * Creates metrics. Names have base units (`_seconds`, `_bytes`, `_total`) and no prefix. Labels have few
 * values (method, route, step, server), never an account or a key. The same name always returns the same
 * metric.
 */
export interface Metrics {
  counter<const L extends string = never>(name: string, help: string, labels?: readonly L[]): CounterMetric<L>
  /** `read` is called on every scrape, to update a value that is not updated continuously. */
  gauge<const L extends string = never>(
    name: string,
    help: string,
    labels?: readonly L[],
    read?: (gauge: GaugeMetric<L>) => void,
  ): GaugeMetric<L>
  histogram<const L extends string = never>(
    name: string,
    help: string,
    labels?: readonly L[],
    buckets?: readonly number[],
  ): HistogramMetric<L>
}

/** Metrics as Prometheus reads them. */
export interface MetricsText {
  readonly contentType: string
  /** Text for `/metrics`. */
  text(): Promise<string>
}

/** Metrics with their text. */
export interface MetricsRegistry extends Metrics, MetricsText {}

/** Suits lite server answers, commits and HTTP replies alike. */
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const
const METRICS_PREFIX = 'shardwalk_'

/** `processMetrics`: also those of Node.js, such as its heap and event loop. */
export const createMetrics = (options: { readonly processMetrics?: boolean } = {}): MetricsRegistry =>
  new PrometheusMetrics(options)

class PrometheusMetrics implements MetricsRegistry {
  private readonly registry = new Registry()

  constructor({ processMetrics = false }: { readonly processMetrics?: boolean }) {
    if (processMetrics) collectDefaultMetrics({ register: this.registry })
  }

  counter<L extends string>(name: string, help: string, labels: readonly L[] = []): CounterMetric<L> {
    return this.once(name, () => new Counter(this.settings(name, help, labels)))
  }

  gauge<L extends string>(
    name: string,
    help: string,
    labels: readonly L[] = [],
    read?: (gauge: GaugeMetric<L>) => void,
  ): GaugeMetric<L> {
    return this.once(name, () => {
      const collect = read && { collect: (): void => read(gauge) }
      const gauge: Gauge<L> = new Gauge({ ...this.settings(name, help, labels), ...collect })
      return gauge
    })
  }

  histogram<L extends string>(
    name: string,
    help: string,
    labels: readonly L[] = [],
    buckets: readonly number[] = SECONDS_BUCKETS,
  ): HistogramMetric<L> {
    return this.once(
      name,
      () => new Histogram({ ...this.settings(name, help, labels), buckets: [...buckets] }),
    )
  }

  get contentType(): string {
    return this.registry.contentType
  }

  text(): Promise<string> {
    return this.registry.metrics()
  }

  private once<M>(name: string, make: () => M): M {
    return (this.registry.getSingleMetric(METRICS_PREFIX + name) as M | undefined) ?? make()
  }

  private settings<L extends string>(name: string, help: string, labels: readonly L[]) {
    return { name: METRICS_PREFIX + name, help, labelNames: [...labels], registers: [this.registry] }
  }
}

const nothing = { inc() {}, set() {}, observe() {} }
/** Counts nothing; the default of packages that accept `Metrics`. */
export const noMetrics: Metrics = { counter: () => nothing, gauge: () => nothing, histogram: () => nothing }
