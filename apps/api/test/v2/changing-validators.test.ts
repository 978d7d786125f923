import { createPublicKey, hash, verify } from 'node:crypto'
import { decodeSkeleton } from '@shardwalk/blocks'
import { parseRoot } from '@shardwalk/cells'
import { loadCatchainConfig, loadValidatorSet, validatorSubset } from '@shardwalk/proofs'
import { generatedChain } from '@shardwalk/testkit'
import { encodeFinalizeVote } from '@shardwalk/tl'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GeneratedApi, type Json, placeOf } from './generated-api.ts'

// What a client that trusts nothing finds out with API v2 alone, while validators change.

const SIMPLEX_FROM = 20
const OPTIONS = {
  ...{ seed: 94, steps: 30, accounts: 4, transactions: 2 },
  ...{ keyBlocks: 0.4, validatorChanges: 0.9, simplexFrom: SIMPLEX_FROM },
}
const steps = [...generatedChain(OPTIONS)]

let api: GeneratedApi
beforeAll(async () => {
  api = await GeneratedApi.start(OPTIONS, steps)
})
afterAll(() => api?.close())

const call = <T = Json>(method: string, params: object) => api.call<T>(method, params)

const bytesOf = (value: unknown) => Buffer.from(value as string, 'base64')

/** A parameter as it is after a key block; undefined if it is not set. */
async function parameter(index: number, seqno: number) {
  const { config } = await call<{ config: Json }>('getConfigParam', { config_id: index, seqno })
  return config['bytes'] === '' ? undefined : parseRoot(bytesOf(config['bytes'])).slice()
}

/** Who may sign a block: by the parameters of the key block before, the temporary ones first. */
async function signersOf({ seqno, header }: { seqno: number; header: Json }) {
  const keyBlock = header['prev_key_block_seqno'] as number
  const temporary = await parameter(35, keyBlock)
  const set = loadValidatorSet(temporary ?? (await parameter(34, keyBlock))!)
  const catchain = loadCatchainConfig((await parameter(28, keyBlock))!)
  const { members } = validatorSubset({
    ...{ set, catchain, workchain: -1, shard: 1n << 63n },
    catchainSeqno: header['catchain_seqno'] as number,
  })
  expect(members.length, `block ${seqno}`).toBeGreaterThan(0)
  return { members, isTemporary: temporary !== undefined }
}

/** Node, ton_api.tl `ton.blockId root_cell_hash:int256 file_hash:int256`; simplex: a vote for a candidate. */
function signedBytes(reply: Json): Buffer {
  const { root_hash: rootHash, file_hash: fileHash } = reply['id'] as Json
  if (reply['@type'] === 'blocks.blockSignatures')
    return Buffer.concat([Buffer.from('706e0bc5', 'hex'), bytesOf(rootHash), bytesOf(fileHash)])
  const candidate = bytesOf(reply['candidate'])
  return encodeFinalizeVote(
    bytesOf(reply['session_id']),
    reply['slot'] as number,
    hash('sha256', candidate, 'buffer'),
  )
}

const keyOf = (publicKey: Buffer) =>
  createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]),
    format: 'der',
    type: 'spki',
  })

test('masterchain blocks are signed by the validators that the last key block names', async () => {
  const sets = new Set<string>()
  let temporary = 0
  for (const { mcSeqno, masterchain } of steps.slice(1)) {
    const header = await call('getBlockHeader', placeOf(masterchain.raw.id))
    // Zerostates are no blocks, so that no server proves the configuration there.
    if (header['prev_key_block_seqno'] === 0) continue
    const { members, isTemporary } = await signersOf({ seqno: mcSeqno, header })
    if (isTemporary) temporary++
    const reply = await call('getMasterchainBlockSignatures', { seqno: mcSeqno })
    expect(reply['id']).toMatchObject(placeOf(masterchain.raw.id))
    const message = signedBytes(reply)
    const byShortId = new Map(
      members.map((member) => {
        const boxed = Buffer.concat([Buffer.from('c6b41348', 'hex'), member.publicKey])
        return [hash('sha256', boxed, 'base64'), member] as const
      }),
    )
    let weight = 0n
    for (const { node_id_short: id, signature } of reply['signatures'] as Json[]) {
      const member = byShortId.get(id as string)
      expect(member, `block ${mcSeqno}`).toBeDefined()
      expect(verify(null, message, keyOf(member!.publicKey), bytesOf(signature))).toBe(true)
      weight += member!.weight
      byShortId.delete(id as string)
    }
    const total = members.reduce((sum, one) => sum + one.weight, 0n)
    expect(3n * weight > 2n * total, `block ${mcSeqno}`).toBe(true)
    sets.add(members.map(({ publicKey }) => publicKey.toString('hex')).join())
  }
  expect(sets.size).toBeGreaterThan(3)
  expect(temporary).toBeGreaterThan(0)
})

test('shard blocks are proven from masterchain blocks after them, over changes of validators', async () => {
  const newest = steps.at(-1)!.mcSeqno
  for (const { mcSeqno, masterchain, shards } of steps.slice(0, -1))
    for (const { raw } of shards.slice(-1))
      for (const from of new Set([mcSeqno + 1, newest])) {
        const { workchain, shard, seqno } = placeOf(raw.id)
        const reply = await call('getShardBlockProof', { workchain, shard, seqno, from_seqno: from })
        expect(reply).toMatchObject({ mc_id: placeOf(masterchain.raw.id) })
        expect((reply['links'] as Json[]).at(-1)).toMatchObject({ id: placeOf(raw.id) })
      }
})

test('blocks are found by number, lt and time', async () => {
  for (const { masterchain, shards } of steps)
    for (const { raw } of [...shards, masterchain]) {
      const { workchain, shard, seqno } = placeOf(raw.id)
      const { header } = decodeSkeleton(raw)
      expect(await call('lookupBlock', { workchain, shard, seqno })).toMatchObject(placeOf(raw.id))
      const lt = String((header.startLt + header.endLt) / 2n)
      expect(await call('lookupBlock', { workchain, shard, lt })).toMatchObject(placeOf(raw.id))
      const found = await call('lookupBlock', { workchain, shard, unixtime: header.genUtime })
      const other = [...steps]
        .flatMap((step) => [...step.shards, step.masterchain])
        .find((block) => placeOf(block.raw.id).root_hash === found['root_hash'])
      expect(decodeSkeleton(other!.raw).header.genUtime).toBe(header.genUtime)
    }
})
