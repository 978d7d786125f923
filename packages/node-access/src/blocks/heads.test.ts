import { LiteServerError, QueryTimeout, type ReportedHead } from '@shardwalk/liteserver'
import type { BlockId } from '@shardwalk/model'
import { describe, expect, test } from 'vitest'
import { inventedBlock } from '../../test/block-proof-servers.ts'
import type { AskOptions, LiteClient } from '../lite-client.ts'
import { Heads } from './heads.ts'

const block = (seqno: number) => inventedBlock(seqno, seqno % 256)
const refusal = (server: string) =>
  new LiteServerError(server, 'liteServer.getBlockProof', 651, 'block is not known')

/** Proofs that the test lets end or fail. */
class OpenProofs {
  latest: BlockId
  latestKeyBlock = block(900)
  /** How a server refuses if it alone is asked. */
  readonly refusals = new Map<string, Error>()
  /** Blocks whose proofs all servers were asked for. */
  readonly asked: number[] = []
  private readonly proofs = new Map<number, { resolve(): void; reject(error: Error): void }>()

  constructor(latest: number) {
    this.latest = block(latest)
  }

  async proveHead(id: BlockId, options?: AskOptions): Promise<void> {
    const refused = options?.server && this.refusals.get(options.server)
    if (refused) throw refused
    if (options?.server || id.seqno === this.latest.seqno) return
    this.asked.push(id.seqno)
    await new Promise<void>((resolve, reject) => {
      this.proofs.set(id.seqno, { resolve, reject })
    })
    if (id.seqno > this.latest.seqno) this.latest = id
  }

  end(seqno: number): void {
    this.proofs.get(seqno)!.resolve()
  }

  fail(seqno: number, error: Error): void {
    this.proofs.get(seqno)!.reject(error)
  }
}

interface Surroundings {
  readonly trust: OpenProofs
  /** Head of each server. */
  readonly servers: Record<string, number>
  readonly indexed?: number
  readonly graceMs?: number
}

function setUp({ trust, servers, indexed, graceMs = 0 }: Surroundings) {
  const reported: string[] = []
  const left = () => Object.entries(servers).filter(([name]) => !reported.includes(name))
  const all = (): ReportedHead[] => {
    const seqnos = [...new Set(left().map(([, seqno]) => seqno))].sort((a, b) => b - a)
    const names = (seqno: number) =>
      left()
        .filter(([, own]) => own === seqno)
        .map(([name]) => name)
    return seqnos.map((seqno) => ({ id: block(seqno), servers: names(seqno) }))
  }
  const pool = {
    heads: all,
    readyServers: () => left().map(([name]) => name),
    head: () => all()[0]?.id,
    report: (server: string) => void reported.push(server),
  }
  const client = { pool } as unknown as LiteClient
  const heads = new Heads({ client, trust, indexedSeqno: async () => indexed, promptMs: 0, graceMs })
  return { heads, reported }
}

describe('while the proof of a head takes long', () => {
  test('the newest proven one is used', async () => {
    const trust = new OpenProofs(1000)
    const { heads } = setUp({ trust, servers: { one: 1001 } })
    expect(await heads.newest()).toEqual(block(1000))
    trust.end(1001)
    await expect.poll(() => trust.latest).toEqual(block(1001))
    expect(await heads.newest()).toEqual(block(1001))
  })

  test.each([
    ['more than twenty blocks older', 979, undefined],
    ['older than the index', 999, 1000],
  ])('one that is %s is not used', async (_, latest, indexed) => {
    const trust = new OpenProofs(latest)
    const { heads } = setUp({ trust, servers: { one: 1000 }, ...(indexed && { indexed }) })
    const newest = heads.newest()
    await expect.poll(() => trust.asked).toEqual([1000])
    trust.fail(1000, new QueryTimeout('one', 'liteServer.getBlockProof', 5000))
    await expect(newest).rejects.toThrow('did not answer')
  })

  test('one that is too old is not used, and whichever head is proven first is', async () => {
    const trust = new OpenProofs(10)
    const { heads } = setUp({ trust, servers: { one: 1001, two: 1000 } })
    const newest = heads.newest()
    await expect.poll(() => trust.asked).toEqual([1001, 1000])
    trust.end(1000)
    expect(await newest).toEqual(block(1000))
  })
})

test('a head is used only if it is proven, however old the newest proven one', async () => {
  const trust = new OpenProofs(0)
  const { heads, reported } = setUp({ trust, servers: { dishonest: 1000 } })
  trust.refusals.set('dishonest', refusal('dishonest'))
  const newest = heads.newest()
  await expect.poll(() => trust.asked).toEqual([1000])
  trust.fail(1000, refusal('dishonest'))
  await expect(newest).rejects.toThrow('block is not known')
  expect(reported).toEqual(['dishonest'])
})

describe('a server that invents a head', () => {
  const INVENTED = 999_999

  test('does not make proven heads look old', async () => {
    const trust = new OpenProofs(1000)
    const { heads } = setUp({ trust, servers: { dishonest: INVENTED, one: 1010 } })
    expect(await heads.newest()).toEqual(block(1000))
  })

  test('does not keep the heads of others from being proven', async () => {
    const trust = new OpenProofs(1000)
    const { heads } = setUp({ trust, servers: { dishonest: INVENTED, one: 1010 } })
    await heads.newest()
    trust.end(1010)
    await expect.poll(() => heads.newest()).toEqual(block(1010))
  })

  test('is not asked for its next ones before the first is proven', async () => {
    const trust = new OpenProofs(1000)
    const servers = { dishonest: INVENTED, one: 1000 }
    const { heads } = setUp({ trust, servers })
    for (; servers.dishonest < INVENTED + 5; servers.dishonest++)
      expect(await heads.newest()).toEqual(block(1000))
    expect(trust.asked).toEqual([INVENTED])
  })

  test('and refuses to prove it is reported', async () => {
    const trust = new OpenProofs(1000)
    const { heads, reported } = setUp({ trust, servers: { dishonest: INVENTED, one: 1000 } })
    trust.refusals.set('dishonest', refusal('dishonest'))
    await heads.newest()
    trust.fail(INVENTED, refusal('one'))
    await expect.poll(() => reported).toEqual(['dishonest'])
    expect(await heads.newest()).toEqual(block(1000))
  })
})

test('a server has time to prove its head before it is reported', async () => {
  const trust = new OpenProofs(1000)
  const { heads, reported } = setUp({ trust, servers: { one: 1001 }, graceMs: 3_600_000 })
  trust.refusals.set('one', refusal('one'))
  await heads.newest()
  trust.fail(1001, refusal('one'))
  for (let i = 0; i < 10; i++) expect(await heads.newest()).toEqual(block(1000))
  expect([reported, trust.asked]).toEqual([[], [1001]])
})

test.each<[string, number, Error | undefined]>([
  ['proves it when it alone is asked', 1001, undefined],
  ['does not answer', 1001, new QueryTimeout('one', 'liteServer.getBlockProof', 5000)],
  ['is behind the newest key block', 890, refusal('one')],
])('a server whose head others refuse to prove is not reported if it %s', async (_, head, own) => {
  const trust = new OpenProofs(1000)
  const { heads, reported } = setUp({ trust, servers: { one: head } })
  if (own) trust.refusals.set('one', own)
  await heads.newest()
  trust.fail(head, refusal('two'))
  // It is asked again as soon as it is settled.
  await expect.poll(() => heads.newest().then(() => trust.asked)).toEqual([head, head])
  expect(reported).toEqual([])
})
