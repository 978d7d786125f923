import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { INDEXED_CHANNEL } from '@shardwalk/db'
import { readDhtConfig } from '@shardwalk/dht'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import { damagedLine } from '@shardwalk/replay'
import { FullNodeSource, Recording } from '@shardwalk/sources'
import { scratchDatabase } from '@shardwalk/testkit'
import { startIngest } from '../src/ingest.ts'
import type { FullNodesMessage } from './full-nodes-process.ts'
import { LINE_FAULTS } from './line-faults.ts'

interface RunOptions {
  /** Masterchain blocks of the generated chain, and how many of them there are at first. */
  readonly steps: number
  readonly first: number
  readonly intervalMs: number
  readonly accounts: number
  /** In a block at most. */
  readonly transactions: number
  /** Of three nodes one sends false data and one is silent, and lines lose and reorder. */
  readonly hasFaults?: boolean
  /** Before anything is asked of it. */
  readonly onSource?: (source: FullNodeSource) => void
  /** A masterchain block is in the tables; blocks before it may be reported later or not at all. */
  readonly onIndexed: (seqno: number) => void
  /** The nodes have a new head. `at`: Unix milliseconds. */
  readonly onHead: (seqno: number, at: number) => void
}

/**
 * Ingest on full nodes of another process over a generated chain. Resolves when the first blocks are in the
 * tables.
 */
export async function openFullNodesRun(options: RunOptions) {
  const { steps, first, intervalMs, accounts, transactions, hasFaults = false } = options
  const folder = mkdtempSync(join(tmpdir(), 'full-nodes-bench-'))
  console.log(`a chain of ${steps} blocks is generated`)
  const nodes = fork(
    fileURLToPath(new URL('./full-nodes-process.ts', import.meta.url)),
    [folder, steps, accounts, transactions, first, intervalMs, ...(hasFaults ? ['faults'] : [])].map(String),
    { execArgv: ['--import', 'tsx'] },
  )
  const [{ dht, meanSize }] = (await once(nodes, 'message')) as [Extract<FullNodesMessage, { type: 'ready' }>]
  const recording = await Recording.open(folder)
  const source = await FullNodeSource.open({
    dht: readDhtConfig({ dht })!,
    zerostateId: recording.network.zerostate,
    host: '127.0.0.1',
    log: silentLogger,
    ...(hasFaults && { line: damagedLine(LINE_FAULTS) }),
  })
  options.onSource?.(source)
  const scratch = await scratchDatabase()
  let newest = 0
  const listener = await scratch.pool.connect()
  listener.on('notification', ({ payload }) => {
    newest = Math.max(newest, Number(payload))
    options.onIndexed(Number(payload))
  })
  await listener.query(`listen ${INDEXED_CHANNEL}`)
  const ingest = await startIngest({
    ...{ source, database: scratch, decodeThreads: 1, log: silentLogger, metrics: noMetrics },
    queueStore: { databaseUrl: scratch.url },
    ...{ start: 'genesis', order: 'newest-first', backfillConcurrency: 2 },
  })
  while (newest < first) await delay(20)
  console.log(`blocks of ${meanSize} bytes, one masterchain block every ${intervalMs} ms`)

  return {
    ...{ recording, source, pool: scratch.pool },
    /** Moves the head to its end; resolves when the last blocks are indexed, or late by 20 s. */
    async go(): Promise<void> {
      const ended = new Promise<void>((resolve) => {
        nodes.on('message', (message: FullNodesMessage) => {
          if (message.type === 'head') options.onHead(message.seqno, message.at)
          if (message.type === 'end') resolve()
        })
      })
      nodes.send('go')
      await ended
      for (let waited = 0; newest < steps && waited < 20_000; waited += 50) await delay(50)
    },
    async close(): Promise<void> {
      listener.release(true)
      await ingest.close(5_000)
      await source.close()
      await recording.close()
      nodes.disconnect()
      await scratch.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
