import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Builder, parseRoot, serializeBoc } from '@shardwalk/cells'
import { IndexerError, MASTERCHAIN } from '@shardwalk/model'
import { Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, fixtureZerostate } from '@shardwalk/testkit'
import { decodeAnswer, type LiteResults } from '@shardwalk/tl'
import { afterAll, describe, expect, test } from 'vitest'
import { ProofError, verifyPreviousBlocks } from './index.ts'

/**
 * Answers of the node's lite server at the last block; `getConfigAll-validators` also requested previous
 * blocks.
 */
function recorded(name: string): LiteResults['liteServer.getConfigAll'] {
  const file = `${FIXTURE_CHAIN_FOLDER}/liteserver-answers/config.json.gz`
  const { entries } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
    entries: { name: string; answer: string }[]
  }
  const entry = entries.find((candidate) => candidate.name === name)!
  const answer = decodeAnswer('liteServer.getConfigAll', Buffer.from(entry.answer, 'hex'))
  if (!answer.ok) throw new Error(`${name} records an error`)
  return answer.value
}

const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
afterAll(() => recording.close())
const zerostateId = recording.network.zerostate
const idOf = (seqno: number) => (seqno === 0 ? zerostateId : recording.step(seqno)!.block.id)
const answer = recorded('getConfigAll-validators')
const at = idOf(recording.last)

describe('previous blocks visible to contracts', () => {
  test('are read from the recorded answer of the node, newest first', () => {
    const { last, key, hundreds } = verifyPreviousBlocks(answer, at)
    expect(last).toEqual(Array.from({ length: 16 }, (_, i) => idOf(529 - i)))
    expect(key).toEqual(idOf(489))
    expect(hundreds).toEqual([500, 400, 300, 200, 100, 0].map(idOf))
  })

  test('consist of the zerostate alone as of the zerostate', async () => {
    const state = parseRoot(await fixtureZerostate(MASTERCHAIN))
    // A proof that prunes nothing: a cell of type 3 with the hash and depth of its only reference.
    const proof = new Builder()
      .storeUint(3, 8)
      .storeBytes(state.hash())
      .storeUint(state.depth(), 16)
      .storeRef(state)
    const configProof = serializeBoc(proof.endCell({ exotic: true }))
    const whole = { mode: 128, id: zerostateId, stateProof: Buffer.alloc(0), configProof }
    expect(verifyPreviousBlocks(whole, zerostateId)).toEqual({
      last: [zerostateId],
      key: zerostateId,
      hundreds: [zerostateId],
    })
  })

  test('are refused from an answer for another block, without the blocks, or of a key block', () => {
    expect(() => verifyPreviousBlocks({ ...answer, id: idOf(528) }, idOf(528))).toThrow(ProofError)
    expect(() => verifyPreviousBlocks(answer, idOf(528))).toThrow(/another block/)
    expect(() => verifyPreviousBlocks(recorded('getConfigAll'), at)).toThrow(IndexerError)
    expect(() => verifyPreviousBlocks(recorded('getConfigAll-prev-key-block'), at)).toThrow(/another block/)
  })

  test('are never different, whichever byte of the proofs is changed', () => {
    const truth = verifyPreviousBlocks(answer, at)
    for (const field of ['stateProof', 'configProof'] as const)
      for (let i = 0; i < answer[field].length; i += 7) {
        const changed = Buffer.from(answer[field])
        changed[i]! ^= 0x10
        try {
          expect(verifyPreviousBlocks({ ...answer, [field]: changed }, at)).toEqual(truth)
        } catch (error) {
          expect(error).toBeInstanceOf(IndexerError)
        }
      }
  })
})
