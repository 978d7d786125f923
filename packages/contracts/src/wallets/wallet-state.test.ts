import { Builder, serializeBoc } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import {
  INTERFACE_COUNT,
  interfacesOf,
  isNonBounceableWallet,
  isPlainWalletCode,
  methodId,
  methodIdsOf,
  walletState,
} from '../index.ts'

const codeHash = (base64: string): Buffer => Buffer.from(base64, 'base64')
const V5_R1 = codeHash('IINLe3KxEhR+Gy+0V7hOdNGjDwT3N9T2KmaOlVLSty8=')
const V5_BETA = codeHash('89fKU0k97trCizgZhqhJQDy6w9LFhHea8IEGWvCsS5M=')

test('wallet v5 r1 has a signature flag before its numbers', () => {
  const data = new Builder()
    .storeBit(1)
    .storeUint(209, 32)
    .storeUint(2147483409, 32)
    .storeBytes(Buffer.alloc(32))
    .endCell()
  expect(walletState(V5_R1, serializeBoc(data))).toEqual({
    walletType: 'wallet v5 r1',
    isSignatureAllowed: true,
    seqno: 209,
    walletId: 2147483409n,
  })
})

test('wallet v5 beta has a 33-bit seqno and an 80-bit id', () => {
  const id = (BigInt.asUintN(32, -239n) << 48n) | (0n << 40n) | (0n << 32n) | 5n
  const data = new Builder().storeUint(17, 33).storeUint(id, 80).storeBytes(Buffer.alloc(32)).endCell()
  expect(walletState(V5_BETA, data)).toEqual({
    walletType: 'wallet v5 beta',
    isSignatureAllowed: true,
    seqno: 17,
    walletId: id,
  })
})

test.each([
  ['oM/CxIruFqJx8s/AtzgtgXVs7LEBfQd/qqs7tgL2how=', 'wallet v1 r1', 'wallet_v1r1'],
  ['1JAvzJ+tdGmPqONTIgpo2g3PcuMryy657gQhfBfTBiw=', 'wallet v1 r2', 'wallet_v1r2'],
  ['WHzHie/xyE9G7DeX5F/ICaFP9a4k8eDHpqmcydyQYf8=', 'wallet v1 r3', 'wallet_v1r3'],
  ['XJpeaMEI4YchoHxC+ZVr+zmtd+xtYktgxXbsiO7mUyk=', 'wallet v2 r1', 'wallet_v2r1'],
  ['/pUw0yQ4Uwg+8u8LTCkIwKv2+hwx6iQ6rKpb+MfXU/E=', 'wallet v2 r2', 'wallet_v2r2'],
  ['thBBpYp5gLlG6PueGY48kE0keZ/6NldOpCUcQaVm9YE=', 'wallet v3 r1', 'wallet_v3r1'],
  ['hNr6RJ+Ypph3ibojI1gHK8D3bcRSQAKl0JGLmnXS1Zk=', 'wallet v3 r2', 'wallet_v3r2'],
  ['ZN1UgFUixb6KnbWc6gEFzPDQh4bKeb64y3nogKjXMi0=', 'wallet v4 r1', 'wallet_v4r1'],
  ['/rX/aCDi/w2Ug+fg1iyBfYRniftK5YDIeIZtlZ2r1cA=', 'wallet v4 r2', 'wallet_v4r2'],
  ['89fKU0k97trCizgZhqhJQDy6w9LFhHea8IEGWvCsS5M=', 'wallet v5 beta', 'wallet_v5_beta'],
  ['5M87L0xtamHqDytUR9JmeFsmrzY32y3u5rzRqoJvNBI=', undefined, 'wallet_v5_beta'],
  ['IINLe3KxEhR+Gy+0V7hOdNGjDwT3N9T2KmaOlVLSty8=', 'wallet v5 r1', 'wallet_v5r1'],
  ['kUmuUcHkaJcQzr94MCl7Fqz7rbNjqSClN4k+f/7sp2g=', 'tg-wallet', 'tg_wallet'],
  ['2M27t58sXKpnesRQdwvgNRviHhJQSG3oXMUqoz3RZIQ=', undefined, 'wallet_highload_v1r1'],
  ['Dc7tISadZgE+lbGfu1xVpvAa2tQIN7qo5SHN46AqpGw=', undefined, 'wallet_highload_v1r2'],
  ['lJTRzI7fEvBWcaGpugmSEJbrUIEeGSTsZcPGKfu4CBI=', undefined, 'wallet_highload_v2'],
  ['jOtFs81LXMYOquHBO5wJI5Jnf+U2sumy2AG2Lv+TH+E=', undefined, 'wallet_highload_v2r1'],
  ['ID3U81ittJmTEpqpJcrDmRa2ig5PeNJujywraer6Vnk=', undefined, 'wallet_highload_v2r2'],
  ['EayteVWEQJDyg78ji8FEmHH3g+fMCXlAjT9IWUg+hSU=', undefined, 'wallet_highload_v3r1'],
  ['Reu86bXSNYhstr/hw62TtwjeBYJEiSNlye4N/kOct7U=', undefined, 'wallet_preprocessed_v2'],
  ['tItTGr7DtxRjgpH3137W3J9qJynvyiBHcTc3TUrotZA=', undefined, 'wallet_vesting'],
])('code %s has the names that TON Center gives it: %s, %s', (hash, walletType, name) => {
  expect(walletState(codeHash(hash), new Builder().endCell())?.walletType).toBe(walletType)
  expect(interfacesOf({ codeHash: codeHash(hash), methods: [] })).toEqual([name])
  expect(isNonBounceableWallet(codeHash(hash))).toBe(walletType !== undefined)
})

test('a wallet whose data cannot be read is still a wallet', () => {
  expect(walletState(V5_R1, Buffer.from('nothing'))).toEqual({ walletType: 'wallet v5 r1' })
  expect(walletState(V5_R1, new Builder().storeUint(1, 8).endCell())).toEqual({ walletType: 'wallet v5 r1' })
  expect(walletState(Buffer.alloc(32), new Builder().endCell())).toBeUndefined()
})

test('codes of wallets are printed as non-bounceable, those of highload wallets are not', () => {
  expect(isNonBounceableWallet(V5_BETA)).toBe(true)
  expect(isNonBounceableWallet(codeHash('EayteVWEQJDyg78ji8FEmHH3g+fMCXlAjT9IWUg+hSU='))).toBe(false)
})

test('wallets need no detection, vesting wallets do', () => {
  expect(INTERFACE_COUNT).toBe(107)
  for (const code of [V5_R1, codeHash('kUmuUcHkaJcQzr94MCl7Fqz7rbNjqSClN4k+f/7sp2g=')])
    expect(isPlainWalletCode(code)).toBe(true)
  expect(isPlainWalletCode(codeHash('tItTGr7DtxRjgpH3137W3J9qJynvyiBHcTc3TUrotZA='))).toBe(false)
  expect(isPlainWalletCode(Buffer.alloc(32))).toBe(false)
})

test('method ids follow the convention of TVM', () => {
  expect([methodId('seqno'), methodId('dnsresolve'), methodId('get_wallet_data')]).toEqual([
    85143, 123660, 97026,
  ])
})

test('a listed code hash is one interface; otherwise all interfaces with matching methods', () => {
  expect(interfacesOf({ codeHash: V5_R1, methods: [methodId('seqno')] })).toEqual(['wallet_v5r1'])
  const methods = [methodId('seqno'), methodId('get_public_key')]
  expect(interfacesOf({ codeHash: Buffer.alloc(32), methods })).toEqual([
    'wallet_highload_v2',
    'wallet_v1r2',
    'wallet_v1r3',
    'wallet_v2r1',
    'wallet_v2r2',
    'wallet_v3r1',
    'wallet_v3r2',
    'wallet_v5_beta',
  ])
  expect(
    interfacesOf({ codeHash: undefined, methods: ['get_balances', 'get_target_balances'].map(methodId) }),
  ).toEqual(['dedust_liquidity_deposit ', 'lockup_universal'])
  expect(interfacesOf({ codeHash: Buffer.alloc(32), methods: [] })).toEqual([])
})

test('code without a method dictionary has no known methods', () => {
  expect(methodIdsOf(new Builder().storeUint(0x3075, 16).endCell())).toBeUndefined()
  const broken = new Builder()
    .storeUint(0xff00, 16)
    .storeUint(0b1111010010100, 13)
    .storeBit(0)
    .storeUint(19, 10)
  expect(methodIdsOf(broken.storeRef(new Builder().storeUint(3, 2).endCell()).endCell())).toBeUndefined()
  const library = new Builder().storeUint(2, 8).storeBytes(Buffer.alloc(32)).endCell({ exotic: true })
  expect(methodIdsOf(library)).toBeUndefined()
})
