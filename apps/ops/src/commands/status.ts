import { describeQuarantine } from '@shardwalk/db'
import { terminalText } from '@shardwalk/model'
import { EXIT } from '@shardwalk/observability'
import { isBehindHead } from '@shardwalk/pipeline'
import { existingDatabase, usingDatabase } from '../operators-database.ts'
import { fullNodeLines, TOLERATED_OFFSET } from '../status-full-nodes.ts'
import { diskText, liteServersText } from '../status-parts.ts'
import { COUNTED_TASKS, readStatusReport, type StatusReport } from '../status-report.ts'
import { withDb } from '../with-db.ts'
import type { Command } from './index.ts'

export const statusCommand: Command = {
  uses: ['Storage', 'Logs'],
  help: 'Show what is indexed, what is missing, and the size of the database. --json prints JSON.',
  reads: true,
  async run(context) {
    const { dataDir, settings } = context
    const { network, redisUrl } = settings
    return usingDatabase(existingDatabase(context), async ({ url }) => {
      const queueStore = redisUrl ? { redisUrl } : { databaseUrl: url }
      const report = await withDb(url, (handle) => readStatusReport(handle, { network, dataDir, queueStore }))
      console.log(settings.logFormat === 'json' ? JSON.stringify(report) : statusText(report))
      return EXIT.done
    })
  },
}

/** The report as text, one line per fact. */
export function statusText(report: StatusReport, unixTime = Date.now() / 1_000): string {
  const { estimated_rows: rows } = report
  const lines: Record<string, string> = {
    network: `${report.network}${report.global_id === null ? '' : ` (global id ${report.global_id})`}`,
    head: headText(report),
    newest: newestText(report.newest, unixTime),
    indexed: report.indexed.map(({ from, to }) => `${from}-${to}`).join(', ') || 'nothing',
    proved: report.proved ? `${report.proved.from}-${report.proved.to}, at ${report.proved.at}` : 'nothing',
    kept: report.retained_from === null ? 'everything' : `from ${report.retained_from} on (RETENTION)`,
    watched: watchText(report.watch),
    missing: report.missing === null ? 'unknown' : String(report.missing),
    quarantined: quarantineText(report.quarantined),
    contracts: contractsText(report.contracts),
    actions: actionsText(report.actions),
    transactions: `about ${rows.transactions}`,
    messages: `about ${rows.messages}`,
    accounts: `about ${rows.accounts}`,
    size: `${(report.size_bytes / 1e6).toFixed(0)} MB`,
    queue: queueText(report.queue),
    metadata: metadataText(report.metadata),
    webhooks: webhooksText(report.webhooks),
    'lite servers': liteServersText(report.lite_servers),
    disk: diskText(report.disk),
    ...fullNodeLines(report.full_nodes),
  }
  return Object.entries(lines)
    .map(([name, text]) => `${name.padEnd(14)} ${terminalText(text)}`)
    .join('\n')
}

function headText({ head, newest }: StatusReport): string {
  if (!head) return 'not reported by ingest yet'
  const indexed = newest?.seqno ?? 0
  const behind = isBehindHead(indexed, head.seqno)
    ? `; indexing is ${head.seqno - indexed} blocks behind`
    : ''
  const notFollowed =
    head.followed === false ? '; not followed: ingest is not running or no source answers' : ''
  return `${head.seqno}, unchanged for ${head.changed_seconds_ago} s${behind}${notFollowed}`
}

function newestText(newest: StatusReport['newest'], unixTime: number): string {
  if (!newest) return 'nothing is indexed'
  if (newest.utime === null) return String(newest.seqno)
  const ahead = Math.floor(newest.utime - unixTime)
  const clock =
    ahead > TOLERATED_OFFSET ? `; if that is true, the clock of this machine is ${ahead} s slow at least` : ''
  return `${newest.seqno} of ${new Date(newest.utime * 1000).toISOString()}${clock}`
}

/** Subjects of which blocks are listed; there may be thousands. */
const LISTED_SUBJECTS = 5

function watchText(watch: StatusReport['watch']): string {
  if (!watch) return 'everything'
  const { subjects, partial, undecided } = watch
  const named = subjects.length === 0 ? 'everything' : `${subjects.length} of WATCH`
  const waiting = undecided === 0 ? '' : `; ${undecided} traces not decided yet`
  const listed = partial.slice(0, LISTED_SUBJECTS).map(({ subject, ranges }) => {
    const blocks = ranges.map(({ from, to }) => `${from}-${to}`).join(', ')
    return `${subject} lacks ${blocks}`
  })
  if (partial.length > LISTED_SUBJECTS) listed.push(`${partial.length - LISTED_SUBJECTS} more`)
  const lacking = listed.length === 0 ? '' : `; ${listed.join('; ')} ("shardwalk backfill" fills it)`
  return `${named}${waiting}${lacking}`
}

function quarantineText(quarantined: StatusReport['quarantined']): string {
  const counts = describeQuarantine(quarantined)
  return counts ? `${counts} (table quarantine; "shardwalk repair --quarantined" tries again)` : 'nothing'
}

function contractsText({ waiting, impossible }: StatusReport['contracts']): string {
  const missing = impossible === 0 ? '' : `; ${impossible} without a known state (table missing_states)`
  return `${waiting} waiting for examination${missing}`
}

function actionsText(actions: StatusReport['actions']): string {
  const { waiting, changed_accounts: accounts, failed } = actions
  const changed = accounts === 0 ? '' : `; traces of ${accounts} changed contracts not queued yet`
  const failures = failed === 0 ? '' : `; ${failed} with basic actions only (table classification_failures)`
  if (waiting === 0) return `no traces waiting${changed}${failures}`
  const why = `${actions.waiting_for_contracts} of them for the examination of contracts`
  return `${waiting} traces waiting, ${why}, the oldest for ${actions.oldest_seconds} s${changed}${failures}`
}

function queueText(queue: StatusReport['queue']): string {
  if ('error' in queue) return `not reachable: ${queue.error}`
  return (
    `${queue.running} running, ${queue.waiting} waiting, ${queue.delayed} delayed, ${queue.failed} ` +
    'failed'
  )
}

/** The fetcher reports every minute. */
function metadataText({ fetcher_seconds_ago: age, tasks, airdrops }: StatusReport['metadata']): string {
  if (age === null) return 'never fetched; enable it with METADATA_FETCH'
  const waiting = tasks.map((one) => `${one.waiting} ${one.type.replace('_', ' ')}`).join(', ')
  const sum = (key: 'waiting' | 'due' | 'failed') => tasks.reduce((total, one) => total + one[key], 0)
  const more = sum('waiting') >= COUNTED_TASKS ? 'or more ' : ''
  return (
    `${waiting} ${more}waiting (${sum('due')} due, ${sum('failed')} failed before); fetcher active ` +
    `${age} s ago${airdropText(airdrops)}`
  )
}

function webhooksText(webhooks: StatusReport['webhooks']): string {
  if (webhooks.length === 0) return 'none'
  const waiting = webhooks.reduce((sum, one) => sum + one.waiting, 0)
  const oldest = Math.max(...webhooks.map((one) => one.oldest_seconds))
  const age = waiting === 0 ? '' : `, the oldest for ${oldest} s`
  const bad = webhooks.filter(({ state }) => state !== 'fine')
  const faults = bad.map(({ id, state, fault }) => `${id} ${state.replace('_', ' ')} (${fault ?? 'retried'})`)
  const failing = bad.length === 0 ? '' : `; ${faults.join(', ')}: see "shardwalk webhooks list"`
  const dead = webhooks.reduce((sum, one) => sum + one.dead_letters, 0)
  const lost = dead === 0 ? '' : `, ${dead} given up`
  return `${webhooks.length}, ${waiting} events waiting${age}${lost}${failing}`
}

function airdropText({ imported, waiting, failed }: StatusReport['metadata']['airdrops']): string {
  if (imported + waiting === 0) return ''
  return `; lists of mintless jettons: ${imported} imported, ${waiting} waiting (${failed} failed before)`
}
