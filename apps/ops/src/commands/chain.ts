import { join } from 'node:path'
import { LiteServerPool } from '@shardwalk/liteserver'
import { writeConfig } from '@shardwalk/networks'
import { createLogger, createShutdown, EXIT, type ExitCode } from '@shardwalk/observability'
import { startReplay } from '@shardwalk/replay'
import { ArchiveSource, LiteserverSource, record } from '@shardwalk/sources'
import { openChain, resolveChain } from '../chain-access.ts'
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
    'moves its head.',
  async run({ network, dataDir, settings }) {
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
      onError: (error) => log.error('query not answered', { error }),
    })
    const path = writeConfig(`${network.slug}_standalone`, dataDir, replay.globalConfig)
    console.log(`${network.folder} is served on ${replay.host}:${replay.port}. In another terminal:`)
    console.log(`    npm start -- --network ${path} --from genesis --data-dir <another folder>`)
    return untilStopped(() => replay.close())
  },
}

function untilStopped(close: () => Promise<void>): Promise<ExitCode> {
  return new Promise((resolve) => {
    const shutdown = createShutdown({ exit: (code) => resolve(code as ExitCode) })
    shutdown.onShutdown('replay server', close)
    shutdown.listen()
  })
}
