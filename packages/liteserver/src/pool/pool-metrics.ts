import type { CounterMetric, GaugeMetric, HistogramMetric, Metrics } from '@shardwalk/observability'

export interface PoolMetrics {
  readonly requests: CounterMetric<'method' | 'outcome'>
  readonly seconds: HistogramMetric<'method'>
  readonly inFlight: GaugeMetric<'server'>
  readonly up: GaugeMetric<'server'>
  readonly head: GaugeMetric<'server'>
  readonly rateLimit: GaugeMetric<'server'>
  readonly missing: GaugeMetric<'server'>
  readonly reports: CounterMetric<'server'>
}

export const poolMetrics = (metrics: Metrics): PoolMetrics => ({
  requests: metrics.counter('liteserver_requests_total', 'Queries sent, by method and outcome', [
    'method',
    'outcome',
  ]),
  seconds: metrics.histogram('liteserver_request_seconds', 'Time from query to answer', ['method']),
  inFlight: metrics.gauge('liteserver_in_flight', 'Queries currently outstanding', ['server']),
  up: metrics.gauge('liteserver_up', '1 if connected and synced', ['server']),
  head: metrics.gauge('liteserver_head_seqno', 'Newest masterchain block that the server reports', [
    'server',
  ]),
  rateLimit: metrics.gauge(
    'liteserver_rate_limit',
    'Requests per second that the server accepts, learned from its refusals; absent if it never refused one',
    ['server'],
  ),
  missing: metrics.gauge(
    'liteserver_missing_up_to_seqno',
    'Newest masterchain block that the server no longer has; absent if none is known',
    ['server'],
  ),
  reports: metrics.counter('liteserver_reports_total', 'Times the server was reported for wrong data', [
    'server',
  ]),
})
