export { beginProcess } from './begin-process.ts'
export { endOnFailure } from './end-on-failure.ts'
export { outliveFullLogDisk } from './full-log-disk.ts'
export { createHealth, type Heartbeat } from './health.ts'
export { createLogger, type LogFields, type Logger, silentLogger } from './logger.ts'
export { maskText } from './mask.ts'
export {
  type CounterMetric,
  createMetrics,
  type GaugeMetric,
  type HistogramMetric,
  type Metrics,
  type MetricsRegistry,
  type MetricsText,
  noMetrics,
} from './metrics.ts'
export { addSamples, type MetricSamples, RelayedMetrics } from './relayed-metrics.ts'
export { createShutdown, EXIT, type ExitCode, type Shutdown } from './shutdown.ts'
export { CannotListen, type Readiness, serveProcessStatus, settingAtFault } from './status-server.ts'
export { type ToSupervisor, tellSupervisor } from './supervisor-channel.ts'
export { LOST_LINES, WaitingLines } from './waiting-lines.ts'
export { createWatchdog } from './watchdog.ts'
