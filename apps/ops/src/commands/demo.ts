import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '@shardwalk/concurrency'
import { chooseNetwork, writeConfig } from '@shardwalk/networks'
import { createShutdown, EXIT, type ExitCode } from '@shardwalk/observability'
import { startReplay } from '@shardwalk/replay'
import { type Settings, toEnvironment } from '@shardwalk/settings'
import { Recording } from '@shardwalk/sources'
import type { Context } from '../context.ts'
import { play, type Sent } from '../demo/player.ts'
import { CommandError } from '../outcome.ts'
import { addressOf } from '../own-address.ts'
import { runForeground } from '../process.ts'
import type { Command } from './index.ts'

const START = 'apps/ops/src/start-process.ts'
/** Blocks per second if `--speed` is not given: that of the recording is one in two seconds. */
const DEFAULT_SPEED = 1
/**
 * Time for clients to read the last traces before everything begins again; shorter than what ingest reports
 * as a stalled head.
 */
const REST_MS = 8_000

export const demoCommand: Command = {
  usage: '[folder]',
  help:
    'Run the sample network (or a chain recorded with all proofs) with a moving head, and send its ' +
    'messages just before the blocks that have them, over and over: for building clients without a network.',
  async run(context): Promise<ExitCode> {
    const { settings, operands } = context
    const network = chooseNetwork(operands[0] ?? 'sample')
    if (network.kind !== 'recording' || operands.length > 1)
      throw new CommandError('demo replays a recorded chain: give its folder, or nothing for the sample')
    if (settings.databaseUrl !== undefined || settings.redisUrl !== undefined)
      throw new CommandError(
        'demo begins with an empty database again and again and keeps it in the data folder: unset ' +
          'DATABASE_URL and REDIS_URL',
      )
    const recording = await Recording.open(network.folder)
    try {
      return await runRounds(context, recording)
    } finally {
      await recording.close()
    }
  },
}

async function runRounds({ settings, dataDir, given }: Context, recording: Recording): Promise<ExitCode> {
  const shutdown = createShutdown({ exit: () => {} })
  const stopListening = shutdown.listen()
  const folder = join(dataDir, 'demo')
  try {
    for (let round = 1; ; round++) {
      rmSync(folder, { recursive: true, force: true })
      const code = await runRound(
        { ...settings, dataDir: folder },
        { round, recording, stop: shutdown.signal, isShort: !given.has('logLevel') },
      )
      if (shutdown.signal.aborted) return EXIT.done
      if (code !== EXIT.done) return code
    }
  } finally {
    stopListening()
  }
}

interface Round {
  readonly round: number
  readonly recording: Recording
  readonly stop: AbortSignal
  /** Whether `start` decides how much is printed. */
  readonly isShort: boolean
}

/** One pass over the recording. Returns when its processes have ended. */
async function runRound(settings: Settings, options: Round): Promise<ExitCode> {
  const { round, recording, stop, isShort } = options
  const speed = settings.replaySpeed || DEFAULT_SPEED
  console.log(`round ${round}: ${recording.last} masterchain blocks, ${speed} per second`)
  const replay = await startReplay({ recording, startSeqno: recording.first, nonfinal: true })
  const over = new AbortController()
  try {
    mkdirSync(settings.dataDir, { recursive: true })
    const network = await writeConfig('demo', settings.dataDir, replay.globalConfig)
    const env = toEnvironment({ ...settings, network, replaySpeed: 0, indexFrom: 'genesis' })
    if (isShort) env['LOG_LEVEL'] = ''
    const running = runForeground(START, [], env, { signal: over.signal })
    const ended = new AbortController()
    void running.finally(() => ended.abort())
    const signal = AbortSignal.any([stop, ended.signal])
    await play({ base: addressOf(settings), replay, speed, signal, onSent: show })
    await sleep(REST_MS, signal)
    over.abort()
    return await running
  } finally {
    await replay.close()
  }
}

const show = ({ seqno, hashNorm, problem }: Sent): void =>
  console.log(
    hashNorm ? `sent ${hashNorm} before block ${seqno}` : `not sent before block ${seqno}: ${problem}`,
  )
