import { Builder, type Cell, parseRoot } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import {
  decodeBody,
  interfacesOf,
  methodIdsOf,
  opcodeName,
  readRequestedMessages,
  readTelegramKeyChange,
  readTelegramKeyChanged,
  readTelegramRequest,
  TELEGRAM_WALLET,
  walletState,
  walletValidUntil,
} from '../index.ts'

function rootOf(base64: string): Cell {
  return parseRoot(Buffer.from(base64, 'base64'))
}

/** Source: ton-blockchain/tg-wallet-contract, contracts/WalletTrampoline.boc. */
const CODE = rootOf('te6cckEBAQEAGgAAMP8AIJgh10mDCLnyQN+Ahfgz0O0eIO1T2WlCfjk=')

/**
 * An internal request of mainnet, to send one message: body of the first message of transaction
 * a086ecfd8a211c807f3ddd3ec63f619b7c5083f0dbaeb5c9633addf80a60382e.
 */
const RECORDED = rootOf(
  'te6cckEBAwEAjQABotiOvE4ZYtZkxtd9Se9sbmMXAdUFMt/PJKEKg9WYv40Kiy8QH7eILzwvyND08HsVxJmtmHMsObJYLkjI' +
    'jnVaaw5jiW50f/9/EWrJEDEAAAABAwEBaEIAEH2cJUG60f6QrAzzZPsu4ydsGVofsuan7JkNRKRUDLcgL68IAAAAAAAAAAAA' +
    'AAAAAAECAAB/RhCT',
)
const asked = RECORDED.refs[0]!
const DESTINATION = '0:20FB384A8375A3FD215819E6C9F65DC64ED832B43F65CD4FD9321A8948A8196E'

const request = (opcode: number): Builder =>
  new Builder()
    .storeBytes(Buffer.alloc(64, 0x9c))
    .storeUint(opcode, 32)
    .storeUint(0x7fff7f11, 32)
    .storeUint(1_791_561_777, 32)
    .storeUint(7, 32)
const cellOf = (bytes: Buffer): Cell => new Builder().storeBytes(bytes).endCell()
const [KEY, PROOF, SECRET] = [Buffer.alloc(32, 1), Buffer.alloc(64, 2), Buffer.alloc(32, 3)]
const keyChange = (opcode: number): Builder =>
  request(opcode).storeBytes(KEY).storeRef(cellOf(PROOF)).storeRef(cellOf(SECRET))

/** Five messages: one beside the reference to the last chunk, four in it. */
function bulk(length: number): Cell {
  const items = (chunk: Builder, count: number): Builder => {
    for (let i = 0; i < count; i++) chunk.storeUint(3, 8).storeRef(asked)
    return chunk
  }
  const last = items(new Builder().storeMaybeRef(undefined), 4).endCell()
  const first = items(new Builder().storeMaybeRef(last), 1).endCell()
  return request(TELEGRAM_WALLET.sendBulkExternal).storeUint(length, 8).storeMaybeRef(first).endCell()
}

test('the code that jumps into the configuration is that of a wallet', () => {
  const data = new Builder().storeUint(0, 8).storeUint(5, 32).storeUint(0x7fff7f11, 32).storeBytes(KEY)
  const state = { walletType: 'tg-wallet', seqno: 5, walletId: 0x7fff7f11n }
  expect(walletState(CODE.hash(), data.endCell())).toEqual(state)
  // A later revision may have more.
  expect(walletState(CODE.hash(), data.storeUint(1, 64).endCell())).toEqual(state)
  expect(interfacesOf({ codeHash: CODE.hash(), methods: methodIdsOf(CODE) ?? [] })).toEqual(['tg_wallet'])
  expect(walletValidUntil(CODE.hash(), RECORDED)).toBe(1_791_561_777)
})

describe('a request behind its signature', () => {
  test('is told by its opcode and its length', () => {
    expect(readTelegramRequest(RECORDED.slice())?.opcode).toBe(TELEGRAM_WALLET.sendOneInternal)
    for (const opcode of [TELEGRAM_WALLET.changeKeyInternal, TELEGRAM_WALLET.changeKeyExternal])
      expect(readTelegramRequest(keyChange(opcode).endCell().slice())?.opcode).toBe(opcode)
    expect(readTelegramRequest(bulk(5).slice())?.opcode).toBe(TELEGRAM_WALLET.sendBulkExternal)
    // A wallet v3 may have any number as its id, here that of an operation.
    const v3 = new Builder()
      .storeBytes(Buffer.alloc(64))
      .storeUint(TELEGRAM_WALLET.sendOneExternal, 32)
      .storeUint(0, 64 + 8)
    const others = [
      v3.storeRef(asked),
      request(1).storeUint(3, 8).storeRef(asked),
      request(TELEGRAM_WALLET.sendOneExternal).storeUint(3, 8),
      new Builder().storeBytes(Buffer.alloc(64)),
      new Builder(),
    ]
    for (const other of others) expect(readTelegramRequest(other.endCell().slice())).toBeUndefined()
  })

  test('asks for one message, or for those of a list in its order', () => {
    const one = request(TELEGRAM_WALLET.sendOneExternal).storeUint(3, 8).storeRef(asked).endCell()
    const messages = readRequestedMessages(() => one.slice())
    expect(messages).toMatchObject([{ destination: DESTINATION, value: 100_000_000n }])
    expect(readRequestedMessages(() => bulk(5).slice())?.map((message) => message?.destination)).toEqual(
      Array(5).fill(DESTINATION),
    )
    const change = keyChange(TELEGRAM_WALLET.changeKeyExternal).endCell()
    expect(readRequestedMessages(() => change.slice())).toEqual([])
  })

  test('changes the key; that to the first revision has no former one', () => {
    const change = keyChange(TELEGRAM_WALLET.changeKeyExternal).endCell()
    const keys = { newPublicKey: KEY, rotationSignature: PROOF }
    expect(readTelegramKeyChange(change.slice())).toEqual(keys)
    const first = request(TELEGRAM_WALLET.changeKeyInternal).storeBytes(KEY).storeRef(cellOf(PROOF))
    expect(readTelegramKeyChange(first.endCell().slice())).toEqual(keys)
    const damaged = request(TELEGRAM_WALLET.changeKeyInternal).storeBytes(KEY).storeRef(cellOf(KEY))
    for (const other of [RECORDED, damaged.endCell()])
      expect(readTelegramKeyChange(other.slice())).toBeUndefined()
  })

  test('is decoded with the messages of its list', () => {
    expect(decodeBody({ body: RECORDED })).toMatchObject({
      '@type': 'tg_wallet_signed',
      request: {
        '@type': 'tg_wallet_send_one_internal',
        subwallet_id: '2147450641',
        valid_until: '1791561777',
        seqno: '1',
        send_mode: '3',
        message: { '@type': 'message', info: { dest: { address: DESTINATION.slice(2) } } },
      },
    })
    const item = { '@type': 'tg_wallet_message_to_send', send_mode: '3', message: { '@type': 'message' } }
    expect(decodeBody({ body: bulk(5) })).toMatchObject({
      request: {
        '@type': 'tg_wallet_send_bulk_external',
        messages_count: '5',
        messages: Array(5).fill(item),
      },
    })
    for (const length of [4, 6]) {
      const { request } = decodeBody({ body: bulk(length) }) as { request: Record<string, unknown> }
      expect(Object.keys(request)).toContain('first_chunk')
      expect(Object.keys(request)).not.toContain('messages')
    }
    expect(decodeBody({ body: keyChange(TELEGRAM_WALLET.changeKeyInternal).endCell() })).toMatchObject({
      request: {
        '@type': 'tg_wallet_change_public_key_internal',
        new_public_key: KEY.toString('hex'),
        encrypted_old_private_key: { key: SECRET.toString('hex') },
      },
    })
  })
})

test('the log after a change has the former key, under the opcode of either revision', () => {
  for (const opcode of [TELEGRAM_WALLET.keyChanged, TELEGRAM_WALLET.rotation]) {
    const log = new Builder().storeUint(opcode, 32).storeBytes(SECRET)
    expect(readTelegramKeyChanged(log.endCell().slice())).toEqual(SECRET)
    expect(readTelegramKeyChanged(log.storeBit(false).endCell().slice())).toBeUndefined()
  }
  expect(opcodeName(TELEGRAM_WALLET.keyChanged)).toBe('tg_wallet_key_changed')
})
