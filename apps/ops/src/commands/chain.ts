import { join } from 'node:path'
import { LiteServerPool } from '@shardwalk/liteserver'
import { writeConfig } from '@shardwalk/networks'
import { createLogger, createShutdown, EXIT, type ExitCode } from '@shardwalk/observability'
import { type Replay, ReplayFullNodes, startReplay, withDht } from '@shardwalk/replay'
import { ArchiveSource, LiteserverSource, record } from '@shardwalk/sources'
import { openChain, resolveChain } from '../chain-access.ts'
import { type Options, textOption } from '../command-options.ts'
import type { Context } from '../context.ts'
import { CommandError } from '../outcome.ts'
import type { Command } from './index.ts'
import { rangeOperands } from './processes.ts'

export const recordCommand: Command = {
  usage: '<from> <to> <folder>',
  uses: ['Network and range', 'Storage', 'Logs'],
  help:
    'Write a range of masterchain blocks with their shard blocks to a folder that --network accepts. ' +
    'May be interrupted and continued.',
  reads: true,
  async run(context) {
    const folder = context.operands[2]
    if (folder === undefined || context.operands.length > 3)
      throw new CommandError('give a range and a folder: record <from> <to> <folder>')
    const range = rangeOperands(context.operands.slice(0, 2))
    const shutdown = createShutdown()
    const stopListening = shutdown.listen()
    const opened = await openSource(context)
    try {
      const result = await record({
        source: opened.source,
        folder,
        ...range,
        signal: shutdown.signal,
        onProgress: ({ seqno, to }) => {
          if (seqno % 100 === 0 || seqno === to) console.log(`recorded up to ${seqno} of ${to}`)
        },
      })
      console.log(
        `${folder} holds masterchain blocks ${result.from} to ${result.to} and ${result.shardBlocks} ` +
          'shard blocks',
      )
      return EXIT.done
    } finally {
      stopListening()
      await opened.close()
    }
  },
}

interface OpenSource {
  readonly source: LiteserverSource | ArchiveSource
  close(): Promise<void>
}

async function openSource(context: Context): Promise<OpenSource> {
  const { network } = context
  if (network.kind === 'archive') {
    const source = await ArchiveSource.open({
      folder: network.folder,
      zerostateFolders: [join(network.folder, '..')],
    })
    return { source, close: async () => source.close() }
  }
  const chain = await openChain(context)
  const { config, servers } = await resolveChain(context, chain)
  const source = new LiteserverSource(new LiteServerPool({ servers, zeroState: config.zeroState }), {
    zerostateId: config.zeroState,
  })
  return {
    source,
    close: async () => {
      await source.close()
      await chain.close()
    },
  }
}

export const replayCommand: Command = {
  uses: ['Network and range', 'Storage', 'Logs'],
  help:
    'Serve the recorded chain given by --network (default: the sample) as a lite server. --speed N ' +
    'moves its head. --p2p: also as full nodes over UDP, for --source p2p.',
  options: {
    p2p: ['switch', 'serve it as full nodes as well'],
    'full-nodes': ['value', 'how many full nodes (3)'],
    loss: ['value', 'share of datagrams that full nodes do not get, 0 to 1'],
    reorder: ['value', 'share of datagrams that come late, 0 to 1'],
    lying: ['switch', 'one of the full nodes gives wrong answers'],
    silent: ['switch', 'one of the full nodes gives none'],
    duplicate: ['value', 'share of datagrams that arrive twice, 0 to 1'],
    slow: ['switch', 'one of the full nodes answers after two seconds'],
    forging: ['switch', 'one of the full nodes has false values in the hash table'],
  },
  async run({ network, dataDir, settings, options }) {
    if (network.kind !== 'recording')
      throw new CommandError('replay serves recorded chains: --network sample, or the folder of one')
    const log = createLogger({
      level: settings.logLevel,
      format: settings.logFormat,
      fields: { process: 'replay' },
    })
    const replay = await startReplay({
      recording: network.folder,
      speed: settings.replaySpeed || undefined,
      nonfinal: true,
      onError: (error) => log.error('query not answered', { error }),
    })
    const fullNodes = options['p2p'] === true ? await serveFullNodes(replay, options) : undefined
    const config = fullNodes ? withDht(replay.globalConfig, fullNodes.dhtConfig) : replay.globalConfig
    const path = await writeConfig(`${network.slug}_standalone`, dataDir, config)
    const source = fullNodes ? ' --source p2p' : ''
    console.log(`${network.folder} is served on ${replay.host}:${replay.port}. In another terminal:`)
    console.log(`    npm start -- --network ${path} --from genesis${source} --data-dir <another folder>`)
    return untilStopped(async () => {
      await fullNodes?.close()
      await replay.close()
    })
  },
}

function serveFullNodes({ chain }: Replay, options: Options): Promise<ReplayFullNodes> {
  const count = numberOption(options, 'full-nodes', 3, { min: 1, max: 5 })
  const line = {
    loss: numberOption(options, 'loss', 0, { min: 0, max: 1 }),
    reorder: numberOption(options, 'reorder', 0, { min: 0, max: 1 }),
    duplicate: numberOption(options, 'duplicate', 0, { min: 0, max: 1 }),
  }
  const faults = [
    ...(options['lying'] === true ? [{ sendsFalseData: true }] : []),
    ...(options['silent'] === true ? [{ isSilent: true }] : []),
    ...(options['slow'] === true ? [{ delayMs: 2_000 }] : []),
    ...(options['forging'] === true ? [{ forgesTable: true }] : []),
  ]
  if (faults.length >= count)
    throw new CommandError('--full-nodes: one more than those with faults is needed')
  const nodes = Array.from({ length: count }, (_, i) => ({ ...line, ...faults[i] }))
  return ReplayFullNodes.start({ chain, nodes })
}

function numberOption(
  options: Options,
  name: string,
  otherwise: number,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const given = textOption(options, name)
  const value = given === undefined ? otherwise : Number(given)
  if (value >= min && value <= max && given !== '') return value
  throw new CommandError(`--${name}: a number from ${min} to ${max} expected, not "${given}"`)
}

function untilStopped(close: () => Promise<void>): Promise<ExitCode> {
  return new Promise((resolve) => {
    const shutdown = createShutdown({ exit: (code) => resolve(code as ExitCode) })
    shutdown.onShutdown('replay server', close)
    shutdown.listen()
  })
}
