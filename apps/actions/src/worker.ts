// Process that derives actions from complete traces: `shardwalk actions`, and part of `shardwalk start`.
// Several may run.
import { readFileSync } from 'node:fs'
import { checkSchema, createDb, endWhenMigrated, warnOfFewLocks } from '@shardwalk/db'
import { beginProcess, createWatchdog, endOnFailure } from '@shardwalk/observability'
import { readSettings } from '@shardwalk/settings'
import { serveClassifierStatus } from './status.ts'
import { workLoop } from './work-loop.ts'

const { settings } = readSettings({ env: process.env, readSecretFile: (path) => readFileSync(path, 'utf8') })
const { log, shutdown } = beginProcess('actions', settings, { deadlineMs: 9_000 })
try {
  if (!settings.databaseUrl) throw new Error('DATABASE_URL is not set')
  const database = createDb({
    url: settings.databaseUrl,
    max: 3,
    applicationName: 'shardwalk actions',
    ofPrimary: true,
    // Its locks would keep ingest from writing for as long as this process is suspended.
    idleTransactionMs: 30_000,
    onIdleError: (error) => log.warn('database connection lost', { error }),
  })
  shutdown.onShutdown('database', () => database.close())
  await checkSchema(database.db)
  void endWhenMigrated({ db: database.db, log, shutdown })
  await warnOfFewLocks(database.db, (message) => log.warn(message))
  const { pool } = database
  const metrics = await serveClassifierStatus({ settings, pool, log, shutdown })
  const onRound = createWatchdog({ shutdown, log }).watch('classification')
  const work = workLoop({ pool, log, signal: shutdown.signal, report: metrics.classified, onRound })
  shutdown.onShutdown('work in hand', () => work)
  await work
} catch (error) {
  await endOnFailure(error, { log, shutdown, message: 'actions could not start' })
}
