import { masterchainId } from '@shardwalk/model'
import { afterEach, expect, test } from 'vitest'
import { LiteServerPool } from '../src/index.ts'
import { FakeLiteServer, idOf } from './fake-chain.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close()
})

async function poolAt(head: number) {
  const server = await new FakeLiteServer(head).start()
  cleanUp.push(() => server.stop())
  const pool = new LiteServerPool({ servers: [server.address] })
  cleanUp.push(() => pool.close())
  const archive = () => pool.servers()[0]!.archive
  return { server, pool, archive }
}

test.each([0, 1])(
  'a server that was connected when its network had %d blocks is an archive server later',
  async (head) => {
    const { server, pool, archive } = await poolAt(head)
    await expect.poll(() => pool.head()?.seqno).toBe(head)
    expect(await pool.lookupBlock(masterchainId(head))).toEqual(idOf(head))
    expect(archive()).toBeUndefined()
    for (const next of [head + 1, 3]) server.advance(next)
    await expect.poll(archive).toBe(true)
    expect(server.asked.filter((name) => name === 'liteServer.lookupBlock')).toHaveLength(2)
  },
)
