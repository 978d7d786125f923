import type { LiteServerPool } from '@shardwalk/liteserver'
import { masterchainId } from '@shardwalk/model'
import { afterEach, expect, test } from 'vitest'
import { LiteserverSource } from './index.ts'

/** Servers by name, and the head that each reports. */
class Servers {
  readonly heads = new Map<string, number>()
  readonly proofs: string[] = []
  private readonly listeners = new Set<() => void>()

  constructor(heads: Record<string, number>) {
    this.report(heads)
  }

  report(heads: Record<string, number>): void {
    for (const [name, seqno] of Object.entries(heads)) this.heads.set(name, seqno)
    for (const listener of this.listeners) listener()
  }

  /** Those that follow the chain can prove what they report. */
  readonly prove = async ({ seqno }: { seqno: number }, { server }: { server: string }) => {
    this.proofs.push(`${server} ${seqno}`)
    if (server.startsWith('dishonest')) throw new Error('no such proof')
  }

  get pool(): LiteServerPool {
    const { heads, listeners } = this
    const all = () => [...heads].map(([name, seqno]) => ({ id: idOf(seqno, name), servers: [name] }))
    const sorted = () => all().sort((a, b) => b.id.seqno - a.id.seqno)
    return {
      heads: sorted,
      head: () => sorted()[0]?.id,
      get size() {
        return heads.size
      },
      onHead: (listener: () => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      getMasterchainInfo: async () => ({ last: sorted()[0]!.id }),
      close: async () => {},
    } as unknown as LiteServerPool
  }
}

const idOf = (seqno: number, name: string) => ({
  ...masterchainId(seqno),
  rootHash: Buffer.alloc(32, name),
  fileHash: Buffer.alloc(32, seqno % 256),
})

const open: LiteserverSource[] = []
afterEach(async () => {
  for (const source of open.splice(0)) await source.close()
})

function sourceOf(servers: Servers, patienceMs = 10_000): LiteserverSource {
  const source = new LiteserverSource(servers.pool, { patienceMs })
  source.proveHeadsWith(servers.prove)
  open.push(source)
  return source
}

test('a head that one server has invented is not followed', async () => {
  const servers = new Servers({ dishonest: 4_000_000_000, a: 1_000, b: 1_001 })
  const source = sourceOf(servers)
  expect((await source.head()).seqno).toBe(1_001)
  setTimeout(() => servers.report({ dishonest: 4_000_000_001, a: 1_002 }), 20)
  expect((await source.waitForMasterchain(1_002, { timeoutMs: 2_000 }))?.seqno).toBe(1_002)
})

test('two dishonest servers that invent different heads outvote nobody', async () => {
  const servers = new Servers({ dishonest1: 4_000_000_000, dishonest2: 3_000_000_000, honest: 1_000 })
  expect((await sourceOf(servers).head({ timeoutMs: 2_000 })).seqno).toBe(1_000)
})

test('the only server that is not behind is followed, because it proves its heads', async () => {
  const servers = new Servers({ good: 9_000, stale1: 1_000, stale2: 1_001 })
  const source = sourceOf(servers)
  await expect.poll(async () => (await source.head()).seqno).toBe(9_000)
  for (let seqno = 9_001; seqno <= 9_200; seqno++) {
    servers.report({ good: seqno })
    await Promise.resolve()
    expect((await source.waitForMasterchain(seqno, { timeoutMs: 1_000 }))?.seqno).toBe(seqno)
  }
  expect(servers.proofs.length).toBeLessThan(30)
  expect(servers.proofs.every((proof) => proof.startsWith('good'))).toBe(true)
})

test('where no head can be proven, the oldest is followed after a while', async () => {
  const servers = new Servers({ dishonest1: 4_000_000_000, dishonest2: 1_000 })
  const source = sourceOf(servers, 50)
  expect((await source.head({ timeoutMs: 5_000 })).seqno).toBe(1_000)
})

test('the only server that is configured is believed', async () => {
  const servers = new Servers({ only: 500 })
  expect((await sourceOf(servers).head()).seqno).toBe(500)
  servers.report({ only: 5_000 })
  expect((await sourceOf(servers).head()).seqno).toBe(5_000)
  expect(servers.proofs).toEqual([])
})
