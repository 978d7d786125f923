import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '@shardwalk/cells'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { ArchiveSource, LiteserverSource, RecordingSource } from '@shardwalk/sources'
import { generatedRecording } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { ReplayChain } from './chain.ts'
import { FullNodeAnswers } from './full-nodes/full-node-answers.ts'
import { startReplay } from './index.ts'

test('zerostates of all workchains are recorded, also of one that begins later, and served', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'zerostates-'))
  const recording = await generatedRecording(folder, {
    ...{ seed: 61, steps: 5, accounts: 16, transactions: 2, genesis: 0.5 },
    workchains: [0, 1, 5],
    spans: new Map([[5, { from: 3, to: 5 }]]),
  })
  const replay = await startReplay({ recording })
  const { liteServers, zeroState } = parseGlobalConfig(replay.globalConfig)
  const pool = new LiteServerPool({ servers: liteServers, zeroState })
  const archive = await ArchiveSource.open({ folder, zerostateFolders: [folder] })
  const fullNode = new FullNodeAnswers(new ReplayChain(recording), false)
  try {
    const { zerostates } = recording.network
    expect(zerostates.map(({ workchain }) => workchain)).toEqual([-1, 0, 1, 5])
    for (const id of zerostates) {
      const files = [
        await new RecordingSource(recording).getZerostate(id),
        await new LiteserverSource(pool).getZerostate(id),
        await archive.getZerostate(id),
        await fullNode.answer({ kind: 'tonNode.downloadZeroState', block: id }),
      ]
      for (const file of files) expect(sha256(file!)).toEqual(id.fileHash)
    }
  } finally {
    await archive.close()
    await pool.close()
    await replay.close()
    await recording.close()
    await rm(folder, { recursive: true })
  }
})
