// Process that fetches off-chain metadata of tokens: `shardwalk metadata`, and a part of `shardwalk start` with METADATA_FETCH=on. Any
// number may run. It talks to servers that contracts name: give it a network of its own where that is possible.
import { readFileSync } from 'node:fs'
import { checkSchema, createDb, type Db, importOverrides } from '@shardwalk/db'
import { MetadataFetcher, parseOverrides } from '@shardwalk/metadata'
import { createLogger, createShutdown, EXIT, type Logger } from '@shardwalk/observability'
import { readSettings } from '@shardwalk/settings'
import { readMetadataSettings } from './config.ts'
import { sweepTokens } from './sweep.ts'
import { workMetadata } from './worker.ts'

const { settings } = readSettings({ env: process.env, readSecretFile: (path) => readFileSync(path, 'utf8') })
const log = createLogger({ level: settings.logLevel, format: settings.logFormat, fields: { process: 'metadata' } })
const shutdown = createShutdown({ log, deadlineMs: 9_000 })
shutdown.listen()
try {
  if (!settings.metadataFetch) throw new Error('METADATA_FETCH is off: nothing may be fetched')
  if (!settings.databaseUrl) throw new Error('DATABASE_URL is not set')
  const own = readMetadataSettings(process.env)
  const database = createDb({
    url: settings.databaseUrl,
    max: 4,
    applicationName: 'shardwalk metadata',
    onIdleError: (error) => log.warn('database connection lost', { error }),
  })
  shutdown.onShutdown('database', () => database.close())
  await checkSchema(database.db)
  if (own.overridesFile) await readOverrides(database.db, own.overridesFile, log)
  const { db } = database
  const { signal } = shutdown
  const fetcher = new MetadataFetcher({
    fetch: { isAllowed: own.isAllowed },
    ...(own.gateways.length > 0 && { gateways: own.gateways }),
  })
  const work = Promise.all([
    workMetadata({ db, fetcher, log, signal, concurrency: own.concurrency }),
    sweepTokens({ db, log, signal }),
  ])
  shutdown.onShutdown('work in hand', () => work)
  log.info('fetching metadata of tokens')
  await work
} catch (error) {
  log.error('metadata could not start', { error })
  await shutdown.run(EXIT.tryAgain)
}

/** A file that cannot be read is no reason to fetch nothing. */
async function readOverrides(db: Db, path: string, log: Logger): Promise<void> {
  try {
    const overrides = parseOverrides(readFileSync(path, 'utf8'))
    const changed = await importOverrides(db, overrides, 'file')
    log.info('metadata overrides read', { overrides: overrides.length, changed })
  } catch (error) {
    log.warn('metadata overrides could not be read', { file: path, error })
  }
}
