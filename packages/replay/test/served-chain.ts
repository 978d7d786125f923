import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { type ChainOptions, type GeneratedStep, generatedRecording } from '@shardwalk/testkit'
import { startReplay } from '../src/index.ts'

/** A lite server of a generated chain, and a client of it. `chain`: as for `generatedRecording`. */
export async function servedChain(
  options: ChainOptions & { readonly steps: number },
  chain?: Iterable<GeneratedStep>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'generated-'))
  const recording = await generatedRecording(folder, options, chain)
  const replay = await startReplay({ recording })
  const { zeroState, liteServers } = parseGlobalConfig(replay.globalConfig)
  const pool = new LiteServerPool({ servers: liteServers, zeroState })
  const close = async () => {
    await pool.close()
    await replay.close()
    await recording.close()
    await rm(folder, { recursive: true })
  }
  return { pool, recording, close }
}
