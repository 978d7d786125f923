import { readFileSync } from 'node:fs'
import { bagMerkleProof, PrunedCellError, parseBoc } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import {
  configGlobalVersion,
  findConfigParam,
  findShardAccount,
  forEachShardAccount,
  loadAccount,
  loadBlockInfoOf,
  loadShardState,
  loadShardStateRest,
  loadStateConfig,
} from '../src/index.ts'

const fixture = (path: string) => readFileSync(new URL(`../../../fixtures/blocks/${path}`, import.meta.url))

test.each([
  ['everscale_zerostate_mc', 42],
  ['everscale_state_2_master', 42],
  ['localnet_shard_state_1', 0],
])('%s: accounts are at their addresses, and their balances add up to the total', (name, expected) => {
  const bag = parseBoc(fixture(`states/${name}.boc`))
  const state = loadShardState(bag.slice(bag.root))
  let total = 0n
  let accounts = 0
  forEachShardAccount(state, ({ account }, accountId) => {
    const loaded = loadAccount(account.preloadRefSlice())!
    expect(loaded.address).toEqual({ workchain: state.workchain, hash: accountId })
    expect(findShardAccount(state, accountId)!.account.refHash()).toEqual(account.refHash())
    total += loaded.balance
    accounts++
  })
  expect(accounts).toBe(expected)
  expect(loadShardStateRest(state.rest.preloadRefSlice()).totalBalance.grams).toBe(total)
  expect(findShardAccount(state, Buffer.alloc(32, 0xee))).toBeUndefined()
})

test('a proof of one account shows that account and refuses all others', () => {
  const bag = parseBoc(fixture('proofs/account_proof_0_8000000000000000_31618192.boc'))
  const [headerProof, stateProof] = bag.roots
  const { info } = loadBlockInfoOf(bag.slice(bagMerkleProof(bag, headerProof!)))
  expect([info.workchain, info.shard, info.seqno]).toEqual([0, 0x8000000000000000n, 31618192])
  const state = loadShardState(bag.slice(bagMerkleProof(bag, stateProof!)))
  const id = Buffer.from('83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8', 'hex')
  const { account, lastTransLt } = findShardAccount(state, id)!
  expect(account.refHash(0, 0).toString('hex')).toBe(
    '82d2c4bb54f2cd7f72b9b24dbccd130b92d3e8980c404c492dba4ee7d060cf57',
  )
  expect(lastTransLt).toBe(33893781000001n)
  expect(() => findShardAccount(state, Buffer.alloc(32))).toThrow(PrunedCellError)
  const shown: string[] = []
  forEachShardAccount(state, (_, accountId) => void shown.push(accountId.toString('hex')), { pruned: 'skip' })
  expect(shown).toEqual([id.toString('hex')])
})

test.each([
  ['config_proof_4324374', -3],
  ['config_proof_33651872', -239],
  ['config_proof_65466080', -239],
])('%s: the proven masterchain state gives its configuration', (name, globalId) => {
  const bag = parseBoc(fixture(`proofs/${name}.boc`))
  const state = loadShardState(bag.slice(bagMerkleProof(bag, bag.root)))
  expect([state.globalId, state.workchain, state.seqno]).toEqual([globalId, -1, Number(name.split('_')[2])])
  const config = loadStateConfig(state.custom!.preloadRefSlice())
  expect(configGlobalVersion(config)!.version).toBeGreaterThanOrEqual(1)
  expect(findConfigParam(config, 0)!.remainingBits).toBe(256)
  expect(findConfigParam(config, 9999)).toBeUndefined()
})
