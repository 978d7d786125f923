import { hash } from 'node:crypto'
import { type BlockId, formatBlockId, IndexerError } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { block, clientOf, type Node, said, silence } from '../test/made-up-nodes.ts'

test('whoever names key blocks has to prove them: nobody else is asked for what was invented', async () => {
  const [real, invented] = [block(5, 1), block(5, 2)]
  const provenBy: string[] = []
  const node =
    (name: string, named: BlockId): Node =>
    (query) => {
      if (query.kind === 'tonNode.getNextKeyBlockIds')
        return said({ kind: 'tonNode.keyBlocks', blocks: [named], incomplete: false, error: false })
      if (query.kind !== 'tonNode.downloadKeyBlockProof') return silence()
      provenBy.push(`${name} ${formatBlockId(query.block)}`)
      return named === real ? Buffer.from('proof') : silence()
    }
  const { client, peers } = clientOf([node('dishonest', invented), node('good', real)])
  const proven = await client.nextKeyBlocks(block(0), () => (id, proof) => [formatBlockId(id), String(proof)])
  expect(proven).toEqual([[formatBlockId(real), 'proof']])
  expect(provenBy.sort()).toEqual([`dishonest ${formatBlockId(invented)}`, `good ${formatBlockId(real)}`])
  // It may only have lost the proof.
  expect(peers.map((peer) => peer.isBanned(1))).toEqual([false, false])
})

test('a node whose answers nobody can read is not banned, but asked after others', async () => {
  class Unreadable extends IndexerError {
    readonly code = 'form_not_known'
    readonly retry = 'later'
  }
  const bytes = Buffer.from('a block')
  const id = { ...block(6), fileHash: hash('sha256', bytes, 'buffer') }
  let asked = 0
  const sending =
    (proof: string, count: number): Node =>
    () => {
      asked += count
      return said({ kind: 'tonNode.dataFull', id, block: bytes, proof: Buffer.from(proof), isLink: false })
    }
  const { client, peers } = clientOf([sending('newer', 1), sending('known', 0)])
  const next = () =>
    client.nextBlock(block(5), ({ proof }) => {
      if (String(proof) === 'newer') throw new Unreadable('unknown tag')
    })
  for (let i = 0; i < 3; i++) expect((await next())?.id).toEqual(id)
  expect([asked, peers.map((peer) => peer.isBanned(1))]).toEqual([1, [false, false]])
})

test('a file of thousands of blocks is passed over, one that begins too late is false', async () => {
  const archive = (start: number): Node => {
    return () => said({ kind: 'tonNode.archiveInfo', id: BigInt(start) })
  }
  const { client, peers } = clientOf([archive(1), archive(9_001), archive(8_950)])
  for (const [index, peer] of peers.entries()) peer.answered('archive', 10 ** (index + 1), 0)
  expect((await client.findArchive(9_000)).start).toBe(8_950)
  expect(peers.map((peer) => peer.isBanned(1))).toEqual([false, true, false])
})

test('a node whose archives nobody can read is asked for others after all that have them', async () => {
  let time = 1
  const asked: string[] = []
  const archive =
    (name: string): Node =>
    () => {
      asked.push(name)
      return said({ kind: 'tonNode.archiveInfo', id: 8_950n })
    }
  const { client, peers } = clientOf([archive('newer'), archive('known')], () => time)
  for (const [index, peer] of peers.entries()) peer.answered('archive', 10 ** (index + 1), 0)
  const found = await client.findArchive(9_000)
  found.postpone()
  for (let i = 0; i < 2; i++) await client.findArchive(9_000)
  time += 600_001
  await client.findArchive(9_000)
  expect(asked).toEqual(['newer', 'known', 'known', 'newer'])
})

test('a question that only a silent node has received is put to one that is found later', async () => {
  let isAsked = false
  const silent: Node = () => {
    isAsked = true
    return new Promise(() => {})
  }
  const { client, peers, find, added } = clientOf([silent])
  const asked = client.nextBlock(block(5))
  await expect.poll(() => isAsked && peers[0]!.rank(1)).toBe(1)
  const [before] = [added.size]
  find(() => said({ kind: 'tonNode.dataFullEmpty' }))
  expect(await asked).toBeUndefined()
  expect([before, added.size]).toEqual([1, 0])
})

test('a node that always says that there is no newer block holds nobody up', async () => {
  const bytes = Buffer.from('a block')
  const id = { ...block(6), fileHash: hash('sha256', bytes, 'buffer') }
  const behind: Node = () => said({ kind: 'tonNode.dataFullEmpty' })
  const good: Node = () =>
    said({ kind: 'tonNode.dataFull', id, block: bytes, proof: Buffer.alloc(0), isLink: false })
  const { client } = clientOf([behind, behind, good, good])
  const found = []
  for (let i = 0; i < 3; i++) found.push((await client.nextBlock(block(5)))?.id.seqno)
  // Two are not enough to say that there is none.
  expect([found, client.isNewest(block(5))]).toEqual([[undefined, undefined, 6], false])
  const all = clientOf([behind, behind, behind, behind]).client
  const isNewest = []
  for (let i = 0; i < 3; i++) isNewest.push((await all.nextBlock(block(5))) ?? all.isNewest(block(5)))
  expect(isNewest).toEqual([false, false, true])
})

test('that a key block is the newest is not believed of one node', async () => {
  const named =
    (blocks: readonly BlockId[]): Node =>
    ({ kind }) =>
      kind === 'tonNode.getNextKeyBlockIds'
        ? said({ kind: 'tonNode.keyBlocks', blocks, incomplete: false, error: false })
        : Buffer.from('proof')
  const read = () => (id: BlockId) => id.seqno
  const { client } = clientOf([named([]), named([block(5)])])
  expect(await client.nextKeyBlocks(block(0), read)).toEqual([5])
  expect(await clientOf([named([]), named([])]).client.nextKeyBlocks(block(0), read)).toEqual([])
})

test('nodes whose answers are newer than we are do not count as dishonest', async () => {
  const newer: Node = () => Buffer.from('0123456789abcdef', 'hex')
  const withState: Node = () =>
    said({
      ...{ kind: 'tonNode.dataFullCompressedV2', id: block(6), flags: 0, proof: Buffer.alloc(0) },
      ...{ blockCompressed: Buffer.of(2, 0, 0, 0, 9), isLink: false },
    })
  const { client, peers } = clientOf([newer, withState])
  await expect(client.nextBlock(block(5))).rejects.toMatchObject({ code: 'no_peer_answered', notFound: 0 })
  await expect(client.findArchive(5)).rejects.toMatchObject({ code: 'no_peer_answered' })
  expect(peers[0]!.isBanned(1)).toBe(false)
})

test('archives are asked of nodes that are quick with archives', async () => {
  const archive = (start: number): Node => {
    return () => said({ kind: 'tonNode.archiveInfo', id: BigInt(start) })
  }
  const { client, peers } = clientOf([archive(8_901), archive(8_950)])
  for (let i = 0; i < 20; i++) peers[0]!.answered('archive', 60_000, 2 << 20)
  expect((await client.findArchive(9_000)).start).toBe(8_950)
})

test('a node that was quick with other things before a restart is no archive for that', async () => {
  let asked = 0
  const without: Node = () => {
    asked++
    return said({ kind: 'tonNode.archiveNotFound' })
  }
  const nodes = [without, () => said({ kind: 'tonNode.archiveInfo', id: 8_950n })]
  const { client, peers } = clientOf(nodes)
  peers[1]!.answered('archive', 500, 2 << 20)
  for (let i = 0; i < 20; i++) expect((await client.findArchive(9_000)).start).toBe(8_950)
  expect(asked).toBe(0)
})

test('an archive that comes far more slowly than others is begun again elsewhere, once', async () => {
  let now = 0
  const file = Buffer.alloc(7 << 20)
  /** Milliseconds for each piece. */
  const archive =
    (pieceMs: number): Node =>
    (query) => {
      if (query.kind !== 'tonNode.getArchiveSlice') return said({ kind: 'tonNode.archiveInfo', id: 8_950n })
      now += pieceMs
      return file.subarray(Number(query.offset), Number(query.offset) + query.maxSize)
    }
  const nodes = [archive(10)]
  const { client } = clientOf(nodes, () => now)
  const download = async () => {
    let size = 0
    for await (const piece of (await client.findArchive(9_000)).pieces()) size += piece.length
    return size
  }
  expect(await download()).toBe(file.length)
  nodes[0] = archive(1_000)
  await expect(download()).rejects.toThrow('comes too slowly')
  // Nobody else has it.
  expect(await download()).toBe(file.length)
})

test('nodes are silent behind the end of an archive, which is no failure of theirs', async () => {
  const file = Buffer.alloc(5 << 20)
  let asked = 0
  const archive: Node = (query) => {
    if (query.kind !== 'tonNode.getArchiveSlice') return said({ kind: 'tonNode.archiveInfo', id: 8_950n })
    asked++
    const offset = Number(query.offset)
    if (offset > file.length) return new Promise(() => {})
    return file.subarray(offset, offset + query.maxSize)
  }
  const { client, peers } = clientOf([archive])
  const [peer] = peers
  peer!.answered('archive', 100, 0)
  const idle = peer!.cost('archive')
  let size = 0
  for await (const piece of (await client.findArchive(9_000)).pieces()) size += piece.length
  expect([size, asked]).toEqual([file.length, 4])
  await expect.poll(() => [peer!.rank(1), peer!.cost('archive') <= idle]).toEqual([0, true])
  expect(client.queryCounts.archive).toEqual({ answered: 3, unanswered: 0 })
})
