import { findMasterchainIds, saveProvedBlock } from '@shardwalk/db'
import { silentLogger } from '@shardwalk/observability'
import { sampleChainDatabase } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { ClockBehindChain } from '../src/clock-behind-chain.ts'

const NEWEST = 529
const PROVED = 500

test('a clock behind a proven block is reported once, one behind what is not proven is not', async () => {
  const database = await sampleChainDatabase()
  const stopping = new AbortController()
  try {
    const timeOf = async (seqno: number) => {
      const text = 'select gen_utime from blocks where workchain = -1 and seqno = $1'
      return (await database.pool.query<{ gen_utime: number }>(text, [seqno])).rows[0]!.gen_utime
    }
    const [proved, newest] = [await timeOf(PROVED), await timeOf(NEWEST)]
    expect(newest - proved).toBeGreaterThan(8)
    await database.pool.query('truncate proved_block')
    const ids = await findMasterchainIds(database.db, [PROVED])
    await saveProvedBlock(database.db, ids.get(PROVED)!)
    const warnings: unknown[] = []
    let [time, asked] = [proved - 3, 0]
    const part = new ClockBehindChain({
      database,
      log: { ...silentLogger, warn: (...warning) => void warnings.push(warning) },
      unixTime: () => {
        asked++
        return time
      },
      everyMs: 1,
    })
    const running = part.run(stopping.signal)
    const again = async () => {
      const before = asked
      await expect.poll(() => asked).toBeGreaterThan(before + 3)
    }
    await again()
    expect(warnings).toEqual([])
    time = proved - 90
    await again()
    expect(warnings).toEqual([[expect.stringContaining('behind the chain'), { seconds_at_least: 90 }]])
    stopping.abort()
    await running
  } finally {
    stopping.abort()
    await database.close()
  }
})
