import type { BlockId } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { inventedBlock } from '../../test/block-proof-servers.ts'
import type { LiteClient } from '../lite-client.ts'
import { Heads } from './heads.ts'

const block = (seqno: number) => inventedBlock(seqno, seqno % 256)

/** Proofs that the test lets end or fail. */
class OpenProofs {
  latest: BlockId
  private readonly proofs = new Map<number, { resolve(): void; reject(error: Error): void }>()

  constructor(latest: number) {
    this.latest = block(latest)
  }

  proveHead(id: BlockId): Promise<void> {
    return new Promise((resolve, reject) => {
      this.proofs.set(id.seqno, {
        resolve: () => {
          if (id.seqno > this.latest.seqno) this.latest = id
          resolve()
        },
        reject,
      })
    })
  }

  isAsked(seqno: number): boolean {
    return this.proofs.has(seqno)
  }

  end(seqno: number): void {
    this.proofs.get(seqno)!.resolve()
  }

  fail(seqno: number): void {
    this.proofs.get(seqno)!.reject(new Error(`no proof of ${seqno}`))
  }
}

function headsOver(trust: OpenProofs, head: number, indexed?: number): Heads {
  const client = { pool: { head: () => block(head) } } as unknown as LiteClient
  return new Heads({ client, trust, indexedSeqno: async () => indexed, promptMs: 0 })
}

test('while the proof of a head takes long, the newest proven one is used', async () => {
  const trust = new OpenProofs(1000)
  const heads = headsOver(trust, 1001)
  expect(await heads.newest()).toEqual(block(1000))
  trust.end(1001)
  expect(await heads.newest()).toEqual(block(1001))
})

test.each([
  ['more than twenty blocks older', 979, undefined],
  ['older than the index', 999, 1000],
])('a proven head that is %s is not used', async (_, latest, indexed) => {
  const trust = new OpenProofs(latest)
  const heads = headsOver(trust, 1000, indexed)
  const newest = heads.newest()
  await expect.poll(() => trust.isAsked(1000)).toBe(true)
  trust.fail(1000)
  await expect(newest).rejects.toThrow('no proof of 1000')
})
