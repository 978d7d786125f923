import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MASTERCHAIN } from '@shardwalk/model'
import { randomFrom } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type BookedPeer, PeerBookFile } from './peer-book.ts'

const ZEROSTATE = Buffer.alloc(32, 1)
const PEERS: readonly BookedPeer[] = Array.from({ length: 20 }, (_, i) => ({
  ...{ key: Buffer.alloc(32, i + 1), host: `192.0.2.${i}`, port: 30_000 + i, overlays: 1 + (i % 3) },
  ...{
    meanMs: i === 3 ? undefined : 10 * i,
    failures: i % 2,
    rate: i * 1_000,
    bannedUntil: i === 5 ? 1_900_000_000 : 0,
  },
}))
const KEY_BLOCK = {
  ...{ workchain: MASTERCHAIN, shard: 1n << 63n, seqno: 5 },
  ...{ rootHash: Buffer.alloc(32, 2), fileHash: Buffer.alloc(32, 3) },
}

let folder: string
let path: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'peer-book-'))
  path = join(folder, 'book.json')
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(() => new PeerBookFile(path, ZEROSTATE).write({ peers: PEERS, keyBlock: KEY_BLOCK }))

const read = () => new PeerBookFile(path, ZEROSTATE).read()

test('what is written is read, bans included, and by the same network alone', async () => {
  expect(await read()).toEqual({ peers: PEERS, keyBlock: KEY_BLOCK })
  expect(await new PeerBookFile(path, Buffer.alloc(32, 7)).read()).toEqual({ peers: [] })
})

test('a node that cannot be contacted costs neither the others nor the key block', async () => {
  const file = JSON.parse(await readFile(path, 'utf8'))
  const [first] = file.peers
  const wrong = [null, 7, [], { ...first, host: 'name.example' }, { ...first, host: '' }]
  for (const port of [0.5, 65_536, -1, '30000']) wrong.push({ ...first, port })
  wrong.push({ ...first, key: 'AAAA' })
  await writeFile(path, JSON.stringify({ ...file, peers: [...wrong, ...file.peers] }))
  expect(await read()).toEqual({ peers: PEERS, keyBlock: KEY_BLOCK })
})

test('a damaged file names no place but an address, and raises nothing', async () => {
  const seed = testSeed()
  const random = randomFrom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const text = await readFile(path)
  for (let i = 0; i < 300; i++) {
    const damaged = Buffer.from(text)
    for (let flips = 1 + below(3); flips > 0; flips--) damaged[below(damaged.length)]! ^= 1 << below(8)
    await writeFile(path, i % 5 === 0 ? damaged.subarray(0, below(damaged.length)) : damaged)
    const { peers } = await read()
    for (const { host, port, key } of peers) {
      expect(host, `SEED=${seed}`).toMatch(/^\d+(\.\d+){3}$/)
      expect(Number.isInteger(port) && port < 65_536 && key.length === 32, `SEED=${seed}`).toBe(true)
    }
  }
})
