import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import { FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import { expect, test } from 'vitest'
import type { NodeAccess } from '../node-access.ts'
import { dnsRoot } from './dns-root.ts'

const HASH = Buffer.alloc(32, 7)
const NONE = Buffer.alloc(32)
const BLOCK = { workchain: MASTERCHAIN, shard: FULL_SHARD, seqno: 1, rootHash: NONE, fileHash: NONE }

/** The root that a configuration with these parameters names. */
const rootOf = (params: readonly (readonly [number, Builder])[]) => {
  const at = async () => ({ root: buildDict(params, 32)!.slice() })
  return dnsRoot({ configuration: { at } } as unknown as NodeAccess, BLOCK)
}
const inCell = (cell: Cell) => new Builder().storeRef(cell)

test('the root of DNS is the first 256 bits of parameter 4', async () => {
  const hash = new Builder().storeBytes(HASH)
  expect(await rootOf([[4, inCell(hash.endCell())]])).toEqual({ workchain: MASTERCHAIN, hash: HASH })
})

test('without parameter 4, or with one of another form, no domain is resolved', async () => {
  const library = new Builder().storeUint(2, 8).storeBytes(HASH).endCell({ exotic: true })
  const odd = [
    inCell(new Builder().endCell()),
    inCell(new Builder().storeUint(1, 255).endCell()),
    inCell(library),
    new Builder().storeUint(1, 8),
  ]
  const configurations = [
    [[5, inCell(new Builder().endCell())] as const],
    ...odd.map((one) => [[4, one] as const]),
  ]
  for (const params of configurations)
    await expect(rootOf(params)).rejects.toMatchObject({ code: 'domain_not_resolved' })
})
