import { FormNotKnown, ProofError } from '@shardwalk/proofs'
import { expect, test } from 'vitest'
import { BlockProofServers, honest, recordedBlock } from '../test/block-proof-servers.ts'
import { LiteClient } from './lite-client.ts'

const ARGS = { mode: 0x1001, knownBlock: recordedBlock(0), targetBlock: recordedBlock(529) }

const asked = (error: Error) => {
  const servers = new BlockProofServers({ one: honest, other: honest })
  const answer = new LiteClient(servers.pool).ask('liteServer.getBlockProof', ARGS, () => {
    throw error
  })
  return { servers, answer }
}

test('servers whose answers are not proven are reported, one after the other', async () => {
  const { servers, answer } = asked(new ProofError('block proof', 'has no steps'))
  await expect(answer).rejects.toThrow('has no steps')
  expect(servers.reported).toEqual(['one', 'other'])
})

test('a server is not reported for a proven answer of a newer form, and no other one is asked', async () => {
  const { servers, answer } = asked(new FormNotKnown('config parameter 34: unknown tag 13'))
  await expect(answer).rejects.toMatchObject({ code: 'form_not_known' })
  expect(servers.reported).toEqual([])
})
