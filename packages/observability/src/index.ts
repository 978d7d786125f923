export { endOnFailure } from './end-on-failure.ts'
export { outliveFullLogDisk } from './full-log-disk.ts'
export {
  type Check,
  type CheckResult,
  createHealth,
  type Health,
  type HealthOptions,
  type HealthReport,
  type Heartbeat,
} from './health.ts'
export {
  createLogger,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  silentLogger,
} from './logger.ts'
export { maskSecrets, maskText } from './mask.ts'
export {
  type CounterMetric,
  createMetrics,
  type GaugeMetric,
  type HistogramMetric,
  type Metrics,
  type MetricsRegistry,
  type MetricsText,
  noMetrics,
  timed,
} from './metrics.ts'
export { addSamples, type MetricSamples, RelayedMetrics } from './relayed-metrics.ts'
export {
  createShutdown,
  EXIT,
  type ExitCode,
  type Shutdown,
  type ShutdownOptions,
  type SignalSource,
} from './shutdown.ts'
export {
  CannotListen,
  type ProcessStatusOptions,
  type Readiness,
  type StatusServer,
  type StatusServerOptions,
  serveProcessStatus,
  serveStatus,
  settingAtFault,
} from './status-server.ts'
export { type ToSupervisor, tellSupervisor } from './supervisor-channel.ts'
export { createWatchdog, type Watchdog, type WatchdogOptions } from './watchdog.ts'
