import {
  type Cell,
  crc16,
  type DictKey,
  forEachLeaf,
  loadDictRoot,
  loadStdAddress,
  type Slice,
} from '@shardwalk/cells'
import { codeHashOf } from '@shardwalk/contracts'
import { DecodeError } from '@shardwalk/model'
import { accountAddress, cellText, friendly, jsonNumber } from './objects.ts'

/** The facts about an account used by the mapping. */
interface AccountView {
  readonly code?: Cell | undefined
  readonly data?: Cell | undefined
  readonly frozenHash?: Buffer | undefined
  readonly balance: bigint
  /** Unix seconds of the state. */
  readonly utime: number
}

interface Recognised {
  readonly state: Record<string, unknown>
  readonly revision: number
}

type Read = (data: Slice) => Record<string, unknown>

/** seqno:uint32 wallet_id:uint32 of wallets v3, v4 and highload v1. */
const readWallet =
  (type: string): Read =>
  (data) => {
    const seqno = data.loadUint(32)
    return { '@type': type, wallet_id: data.loadUint(32), seqno }
  }

const readId =
  (type: string): Read =>
  (data) => ({ '@type': type, wallet_id: data.loadUint(32) })

/** Anybody can make a contract with this code whose data describe 2^32 limits with a few cells. */
const MAX_LIMITS = 1000

/** seqno:uint32 wallet_id:uint32 key:bits256 start_at:uint32 limits:(HashmapE 32 Grams), keys signed. */
function readRestricted(data: Slice, snapshot: AccountView): Record<string, unknown> {
  const seqno = data.loadUint(32)
  const walletId = data.loadUint(32)
  const startAt = data.skip(256).loadUint(32)
  const limits: { seconds: number; value: bigint }[] = []
  const visit = (value: Slice, key: DictKey) => {
    limits.push({ seconds: key.toInt(), value: value.loadCoins() })
  }
  forEachLeaf(loadDictRoot(data), 32, visit, { most: MAX_LIMITS })
  limits.sort((a, b) => a.seconds - b.seconds)
  return {
    '@type': 'rwallet.accountState',
    wallet_id: walletId,
    seqno,
    unlocked_balance: jsonNumber(unlocked(snapshot, startAt, limits)),
    config: {
      '@type': 'rwallet.config',
      start_at: startAt,
      limits: limits.map(({ seconds, value }) => ({
        '@type': 'rwallet.limit',
        seconds,
        value: jsonNumber(value),
      })),
    },
  }
}

/** Result of the contract's get-method `balance`: the balance less the amount locked by the current limit. */
function unlocked(
  { balance, utime }: AccountView,
  startAt: number,
  limits: readonly { readonly seconds: number; readonly value: bigint }[],
): bigint {
  const limit = limits.findLast(({ seconds }) => seconds <= utime - startAt)
  const locked = limit?.value ?? 0n
  return balance > locked ? balance - locked : 0n
}

/** Name of the code, its revision in tonlib, and the parser of its data. */
const READERS: readonly (readonly [
  string,
  number,
  (data: Slice, snapshot: AccountView) => Record<string, unknown>,
])[] = [
  ['wallet_v3r1', 1, readWallet('wallet.v3.accountState')],
  ['wallet_v3r2', 2, readWallet('wallet.v3.accountState')],
  ['wallet_v4r2', 2, readWallet('wallet.v4.accountState')],
  ['tonlib_highload_v1_draft', -1, readWallet('wallet.highload.v1.accountState')],
  ['wallet_highload_v1r1', 1, readWallet('wallet.highload.v1.accountState')],
  ['tonlib_highload_v1r2', 2, readWallet('wallet.highload.v1.accountState')],
  ['wallet_highload_v2', -1, readId('wallet.highload.v2.accountState')],
  ['wallet_highload_v2r1', 1, readId('wallet.highload.v2.accountState')],
  ['tonlib_highload_v2r2', 2, readId('wallet.highload.v2.accountState')],
  ['tonlib_dns_draft', -1, readId('dns.accountState')],
  ['tonlib_dns_r1', 1, readId('dns.accountState')],
  ['tonlib_payment_channel_draft', -1, readChannel],
  ['tonlib_restricted_wallet', 1, readRestricted],
]

const BY_CODE = new Map(READERS.map(([name, revision, read]) => [codeHashOf(name), { revision, read }]))

/** `account_state` and `revision` of `fullAccountState`, by the hash of the code, as in tonlib. */
export function readAccountState(snapshot: AccountView): Recognised {
  const { code, data, frozenHash } = snapshot
  if (!code)
    return {
      state: { '@type': 'uninited.accountState', frozen_hash: frozenHash?.toString('base64') ?? '' },
      revision: 0,
    }
  const known = BY_CODE.get(code.hash().toString('base64'))
  try {
    if (known && data) return { state: known.read(data.slice(), snapshot), revision: known.revision }
  } catch (error) {
    // Known code with unexpected data is returned as a raw account.
    if (!(error instanceof DecodeError)) throw error
  }
  const bytes = { code: cellText(code), data: data ? cellText(data) : '' }
  return { state: { '@type': 'raw.accountState', ...bytes, frozen_hash: '' }, revision: 0 }
}

/**
 * Payment channel contract shipped with the node. Source: node, `crypto/block/block.tlb` `chan_data`,
 * `chan_config`, `chan_state_*`.
 */
function readChannel(data: Slice): Record<string, unknown> {
  const config = data.loadRefSlice()
  const state = data.loadRefSlice()
  const timeouts = { init_timeout: config.loadUint(32), close_timeout: config.loadUint(32) }
  const keys = {
    alice_public_key: publicKey(config.loadBytes(32)),
    bob_public_key: publicKey(config.loadBytes(32)),
  }
  const addresses = {
    alice_address: accountAddress(friendly(loadStdAddress(config.loadRefSlice()))),
    bob_address: accountAddress(friendly(loadStdAddress(config.loadRefSlice()))),
  }
  const channelId = jsonNumber(config.loadUintBig(64))
  return {
    '@type': 'pchan.accountState',
    config: { '@type': 'pchan.config', ...keys, ...addresses, ...timeouts, channel_id: channelId },
    state: channelState(state),
    description: '',
  }
}

function channelState(slice: Slice): Record<string, unknown> {
  const tag = slice.loadUint(3)
  if (tag === 2)
    return {
      '@type': 'pchan.statePayout',
      A: jsonNumber(slice.loadCoins()),
      B: jsonNumber(slice.loadCoins()),
    }
  if (tag > 2) throw new DecodeError('chan_state', `unknown tag ${tag}`)
  const signed = { signed_A: slice.loadBit(), signed_B: slice.loadBit() }
  const least = { min_A: jsonNumber(slice.loadCoins()), min_B: jsonNumber(slice.loadCoins()) }
  const expireAt = slice.loadUint(32)
  const sums = { A: jsonNumber(slice.loadCoins()), B: jsonNumber(slice.loadCoins()) }
  return {
    '@type': tag === 0 ? 'pchan.stateInit' : 'pchan.stateClose',
    ...signed,
    ...least,
    expire_at: expireAt,
    ...sums,
  }
}

/** 48 characters: tag 3ee6, key, CRC-16. Source: node, `crypto/Ed25519.cpp`, `PublicKey`. */
function publicKey(key: Buffer): string {
  const bytes = Buffer.concat([Buffer.from('3ee6', 'hex'), key, Buffer.alloc(2)])
  bytes.writeUInt16BE(crc16(bytes, 0, 34), 34)
  return bytes.toString('base64url')
}
