import { Builder, buildDict, EMPTY_CELL, sha256 } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { sharedForks } from '@shardwalk/testkit'
import { loadCurrencyCollection } from '@shardwalk/tlb'
import { expect, test } from 'vitest'
import {
  JVAULT_BODIES,
  loadDnsEntries,
  parseMultisigOrder,
  readRequestedMessages,
  readTokenContent,
} from '../src/index.ts'

// Contracts of anybody return or send these: some tens of cells that describe 2^18 entries, and could
// describe any number. Readers give up before they have read them all.
const FORKS = 18

/** block.tlb `int_msg_info$0` of a message that is to be sent, with a value and no body. */
const message = (value: (to: Builder) => Builder) =>
  value(
    new Builder()
      .storeUint(0b0110, 4)
      .storeUint(0, 2)
      .storeAddress({ workchain: 0, hash: Buffer.alloc(32) }),
  )
    .storeCoins(0n)
    .storeCoins(0n)
    .storeUint(0, 64 + 32)
    .storeUint(0, 2)
    .endCell()

test('records of a domain', () => {
  const records = sharedForks(256, FORKS, (leaf) => leaf.storeRef(EMPTY_CELL))
  expect(() => loadDnsEntries(records)).toThrow(DecodeError)
})

test('chunks of a text', () => {
  // All of them do not fit into memory.
  const chunks = sharedForks(32, 31, (leaf) => leaf.storeRef(EMPTY_CELL))
  const value = new Builder().storeUint(1, 8).storeMaybeRef(chunks).endCell()
  const name = sha256(Buffer.from('name'))
  const attributes = buildDict([[name, new Builder().storeRef(value)]], 256)
  const content = new Builder().storeUint(0, 8).storeMaybeRef(attributes).endCell()
  expect(readTokenContent(content)).toMatchObject({ type: 'onchain' })
})

test('currencies', () => {
  const currencies = sharedForks(32, FORKS, (leaf) => leaf.storeUint(1, 5).storeUint(1, 8))
  const value = new Builder().storeCoins(1n).storeMaybeRef(currencies).endCell()
  expect(() => loadCurrencyCollection(value.slice())).toThrow(DecodeError)
})

test('currencies of a message that an order is to send', () => {
  const currencies = sharedForks(32, FORKS, (leaf) => leaf.storeUint(1, 5).storeUint(1, 8))
  const sent = message((to) => to.storeCoins(7n).storeMaybeRef(currencies))
  const action = new Builder().storeUint(0xf1381e5b, 32).storeUint(1, 8).storeRef(sent)
  const order = buildDict([[0n, new Builder().storeRef(action.endCell())]], 8)!
  expect([...(parseMultisigOrder(order) ?? [])]).toMatchObject([{ value: 7n, error: null }])
})

test('messages of a highload wallet', () => {
  const sent = message((to) => to.storeCoins(1n).storeMaybeRef(undefined))
  const messages = sharedForks(16, 16, (leaf) => leaf.storeUint(3, 8).storeRef(sent))
  const body = new Builder()
    .storeBytes(Buffer.alloc(64))
    .storeUint(0, 32 + 64)
    .storeMaybeRef(messages)
  expect(readRequestedMessages(() => body.endCell().slice()) ?? []).toEqual([])
})

test('jettons of a claim', () => {
  const jettons = sharedForks(267, FORKS, (leaf) => leaf)
  const body = new Builder().storeUint(0, 64).storeMaybeRef(jettons).endCell()
  expect(() => JVAULT_BODIES.claimRewards(body.slice())).toThrow(DecodeError)
})
