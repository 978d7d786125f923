import type { BlockId } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { inventedBlock, recordedBlock } from '../../test/block-proof-servers.ts'
import type { LiteClient } from '../lite-client.ts'
import { Blocks } from './blocks.ts'
import type { Heads } from './heads.ts'
import type { TrustedHead } from './trusted-head.ts'

const ZEROSTATE = recordedBlock(0)
const heads = {} as Heads

/** A client of a server that reports this zerostate. */
const clientOf = (reported: BlockId, zeroState?: BlockId) =>
  ({
    pool: { zeroState },
    ask: async (_: string, _args: object, verify: (answer: { init: BlockId }) => BlockId) =>
      verify({ init: reported }),
  }) as unknown as LiteClient

test('the zerostate is that of the global config, whatever a server reports', async () => {
  const blocks = new Blocks({ client: clientOf(inventedBlock(0), ZEROSTATE), heads })
  expect(await blocks.zeroState()).toEqual(ZEROSTATE)
})

test('a reported zerostate is used only if it is proven', async () => {
  const proven: BlockId[] = []
  const prove = async (id: BlockId) => {
    proven.push(id)
    if (!id.rootHash.equals(ZEROSTATE.rootHash)) throw new Error('not in the chain')
  }
  const trust = { prove } as TrustedHead
  const dishonest = new Blocks({ client: clientOf(inventedBlock(0)), heads, trust })
  await expect(dishonest.zeroState()).rejects.toThrow('not in the chain')
  const honest = new Blocks({ client: clientOf(ZEROSTATE), heads, trust })
  expect(await honest.zeroState()).toEqual(ZEROSTATE)
  expect(proven).toEqual([inventedBlock(0), ZEROSTATE])
})
