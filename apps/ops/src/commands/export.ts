import { constants, setPriority } from 'node:os'
import { blocksBehindHead, DATASETS, type DatabaseHandle, type Dataset, findGlobalId } from '@shardwalk/db'
import { HeadFirst, terminalTable, WritingThread } from '@shardwalk/exports'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import type { Context } from '../context.ts'
import { exportPartitions, type Run } from '../export-dataset.ts'
import { followChain } from '../export-follow.ts'
import { type Partition, partitionsOf } from '../export-partitions.ts'
import { type ExportRequest, readRequest, resolveFilters, resolveRange } from '../export-request.ts'
import { verifyExport } from '../export-verify.ts'
import { replicatedDatabase, usingDatabase } from '../operators-database.ts'
import { withDb } from '../with-db.ts'
import type { Command } from './index.ts'

export const exportCommand: Command = {
  usage:
    '<dataset>[,...] --out <folder> [--from X] [--to Y] [--format parquet|ndjson|csv] ' +
    '[--partition day|mc-seqno] [--chunk N] [--columns a,b] [--include-boc] [--account A,...] ' +
    '[--jetton A,...] [--type T,...] [--compression snappy|none] [--gzip] [--max-rows-per-file N] ' +
    '[--content-checksum] [--csv-safe] [--allow-gaps] [--force] [--follow] [--dry-run] | list | ' +
    'verify <folder> [--counts]',
  help:
    'Write tables as files for other programs; a run that was interrupted is continued, and with --follow ' +
    'goes on with the chain. "list" shows the datasets, "verify" checks files. See docs/analytics.md.',
  options: {
    out: 'value',
    from: 'value',
    to: 'value',
    format: 'value',
    partition: 'value',
    chunk: 'value',
    columns: 'value',
    'include-boc': 'switch',
    'max-rows-per-file': 'value',
    'csv-safe': 'switch',
    account: 'value',
    jetton: 'value',
    type: 'value',
    compression: 'value',
    gzip: 'switch',
    'allow-gaps': 'switch',
    force: 'switch',
    'dry-run': 'switch',
    'content-checksum': 'switch',
    follow: 'switch',
    counts: 'switch',
  } as const,
  reads: true,
  async run(context) {
    const [name, ...operands] = context.operands
    if (name === 'list') return list()
    if (name === 'verify') return verifyExport(operands, context)
    const request = readRequest(context.operands, context.options)
    await usingDatabase(replicatedDatabase(context), async ({ url, exited }) => {
      let hasEnded = false
      void exited.then(() => {
        hasEnded = true
      })
      const work = (handle: DatabaseHandle) =>
        exportAll({ handle, request, context, hasEnded: () => hasEnded })
      // A statement may take as long as the reader is slow.
      await withDb(url, work, { statementTimeoutMs: 0 })
    })
    return EXIT.done
  },
}

function list(): ExitCode {
  for (const { name, comment, columns, bocs, filters } of DATASETS) {
    const filter = filters ? ` Filters: ${Object.keys(filters).join(', ')}.` : ''
    console.log(`${name}: ${comment}${filter}`)
    const rows = Object.entries({ ...columns, ...bocs }).map(([column, [type, , text]]) => [
      column,
      type,
      text,
    ])
    console.log(`${terminalTable(['column', 'type', 'meaning'], rows)}\n`)
  }
  return EXIT.done
}

interface Asked {
  readonly handle: DatabaseHandle
  readonly request: ExportRequest
  readonly context: Context
  readonly hasEnded: () => boolean
}

async function exportAll({ handle, request, context, hasEnded }: Asked): Promise<void> {
  const filters = await resolveFilters(handle, request.filters)
  const globalId = (await findGlobalId(handle.db)) ?? null
  const { exportMaxLag: most, exportPriority } = context.settings
  const head = new HeadFirst({
    most,
    behind: () => blocksBehindHead(handle.db),
    onPause: (behind) => console.log(`paused while the index is ${behind} blocks behind (EXPORT_MAX_LAG)`),
  })
  if (exportPriority === 'low') setPriority(constants.priority.PRIORITY_LOW)
  // Has the priority of the thread that starts it.
  const thread = new WritingThread()
  const run: Run = { handle, request, context, filters, globalId, head, thread }
  try {
    if (context.options['follow'] === true) await followChain(run, hasEnded)
    else
      for (const dataset of request.datasets) await exportPartitions(run, dataset, await planOf(run, dataset))
  } finally {
    await thread.close()
  }
}

async function planOf({ handle, request, context }: Run, dataset: Dataset): Promise<readonly Partition[]> {
  if (dataset.kind === 'snapshot')
    return [{ path: 'latest', name: null, isWhole: true, complete: true, gaps: [] }]
  const range = await resolveRange(handle.db, context.options)
  console.log(`masterchain blocks ${range.from} to ${range.to}`)
  return partitionsOf(handle, dataset, { ...request, range })
}
