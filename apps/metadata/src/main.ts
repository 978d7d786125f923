// Process that fetches off-chain metadata of tokens: `shardwalk metadata`, and part of `shardwalk start` with
// METADATA_FETCH=on. Several may run. It connects to servers chosen by contracts: give it a separate network
// if possible.
import { readFileSync } from 'node:fs'
import { checkSchema, createDb, endWhenMigrated } from '@shardwalk/db'
import { HostLimits, MetadataFetcher, publicExcept } from '@shardwalk/metadata'
import { beginProcess, createMetrics, createWatchdog, endOnFailure } from '@shardwalk/observability'
import { readSettings } from '@shardwalk/settings'
import { importAirdrops } from './airdrops/import-airdrops.ts'
import { applyOverrides } from './overrides.ts'
import { queueMetrics } from './queue-metrics.ts'
import { serveMetadataStatus } from './status.ts'
import { sweepTokens } from './sweep.ts'
import { workMetadata } from './worker.ts'

const { settings } = readSettings({ env: process.env, readSecretFile: (path) => readFileSync(path, 'utf8') })
const { log, shutdown } = beginProcess('metadata', settings, { deadlineMs: 9_000 })
try {
  if (!settings.metadataFetch) throw new Error('METADATA_FETCH is off: this process has nothing to do')
  if (!settings.databaseUrl) throw new Error('DATABASE_URL is not set: it names the database of ingest')
  const metrics = createMetrics({ processMetrics: true })
  const database = createDb({
    url: settings.databaseUrl,
    max: 4,
    applicationName: 'shardwalk metadata',
    ofPrimary: true,
    onIdleError: (error) => log.warn('database connection lost', { error }),
  })
  shutdown.onShutdown('database', () => database.close())
  await checkSchema(database.db)
  const { db } = database
  void endWhenMigrated({ db, log, shutdown })
  const { signal } = shutdown
  if (settings.metadataOverrides) void applyOverrides({ db, file: settings.metadataOverrides, log, signal })
  const limits = new HostLimits()
  const fetcher = new MetadataFetcher({
    fetch: { isAllowed: publicExcept(settings.metadataDeniedNetworks) },
    limits,
    metrics,
    ...(settings.metadataIpfsGateways && { gateways: settings.metadataIpfsGateways }),
  })
  await serveMetadataStatus({ settings, metrics, db, log, shutdown })
  const watchdog = createWatchdog({ shutdown, log })
  const maxBytes = settings.metadataAirdropMib * 2 ** 20
  const work = Promise.all([
    workMetadata({
      db,
      fetcher,
      log,
      signal,
      concurrency: settings.metadataConcurrency,
      onRound: watchdog.watch('queue'),
    }),
    sweepTokens({
      db,
      log,
      signal,
      report: queueMetrics(metrics, limits),
      onRound: watchdog.watch('sweep'),
    }),
    maxBytes > 0 && importAirdrops({ database, fetcher, metrics, log, signal, maxBytes }),
  ])
  shutdown.onShutdown('work in hand', () => work)
  log.info('metadata fetching started')
  await work
} catch (error) {
  await endOnFailure(error, { log, shutdown, message: 'metadata could not start' })
}
