import { Builder, type Cell } from '@shardwalk/cells'
import { expect } from 'vitest'
import { type AccountFacts, type ActionRow, classifyTrace } from '../src/index.ts'
import { addr, buildTrace, q, type Sketch, storeAddr } from './build-trace.ts'

export const TON = 1_000_000_000n
export type Facts = Readonly<Record<string, AccountFacts>>

export function classify(sends: readonly Sketch[], facts: Facts = {}): readonly ActionRow[] {
  const known = new Map(
    Object.entries(facts).map(([name, fact]) => [name.includes(':') ? name : addr(name), fact]),
  )
  const { failures, actions } = classifyTrace(buildTrace('ALICE', sends), known)
  expect(failures).toEqual([])
  return actions
}

export function only(actions: readonly ActionRow[], type: string): ActionRow {
  const found = actions.filter((row) => row.type === type)
  expect(actions.map((row) => row.type)).toContain(type)
  expect(found).toHaveLength(1)
  return found[0]!
}

export const types = (actions: readonly ActionRow[]): string[] => actions.map(({ type }) => type)
/** Asset of an exchange: TON, or a jetton of the basechain. `bits`: of its tag, 4 at DeDust, 2 at Coffee. */
export const storeAsset = (b: Builder, jetton: string | null, bits: 2 | 4): Builder =>
  jetton === null
    ? b.storeUint(0, bits)
    : b
        .storeUint(1, bits)
        .storeUint(0, 8)
        .storeBytes(Buffer.from(addr(jetton).slice(2), 'hex'))
export const ref = (fill: (b: Builder) => Builder): Cell => fill(new Builder()).endCell()

/** Message that a contract is asked to send, with its body in a reference. */
export const messageTo = (to: string, value: bigint, body: Cell): Cell =>
  ref((b) =>
    storeAddr(storeAddr(b.storeUint(0b0110, 4), null), to)
      .storeCoins(value)
      .storeBit(false)
      .storeCoins(0n)
      .storeCoins(0n)
      .storeUint(0, 64 + 32)
      .storeBit(false)
      .storeBit(true)
      .storeRef(body),
  )
export const wallet = (owner: string, jetton: string): AccountFacts => ({
  jettonWallet: { owner: addr(owner), jetton: addr(jetton) },
})
export const item = (more: Partial<NonNullable<AccountFacts['nftItem']>> = {}): AccountFacts => ({
  nftItem: { index: 5n, collection: addr('COLLECTION'), ...more },
})

export const internalTransfer = (amount: bigint, from: string): Builder =>
  storeAddr(storeAddr(q(0x178d4519).storeCoins(amount), from), from)
    .storeCoins(0n)
    .storeBit(false)

/** Owner -> wallet -> wallet of `to`, with a payload and what the receiver's wallet sends on. */
export const jettonTransfer = (
  from: string,
  to: string,
  {
    amount = 100n,
    payload,
    notified,
  }: { amount?: bigint; payload?: Cell; notified?: readonly Sketch[] } = {},
): Sketch => {
  const forwarded = (b: Builder) => (payload ? b.storeBit(true).storeRef(payload) : b.storeBit(false))
  const notification = storeAddr(q(0x7362d09c).storeCoins(amount), from)
  return {
    to: `${from}_J`,
    body: forwarded(
      storeAddr(storeAddr(q(0x0f8a7ea5).storeCoins(amount), to), from)
        .storeBit(false)
        .storeCoins(1n),
    ),
    sends: [
      {
        to: `${to}_J`,
        body: internalTransfer(amount, from),
        sends: notified ? [{ to, body: forwarded(notification), sends: notified }] : [],
      },
    ],
  }
}

export const nftTransfer = (itemName: string, to: string, sends: readonly Sketch[] = []): Sketch => ({
  to: itemName,
  body: storeAddr(storeAddr(q(0x5fcc3d14), to), 'ALICE')
    .storeBit(false)
    .storeCoins(1n),
  sends,
})
export const assigned = (to: string, previous: string, sends: readonly Sketch[] = []): Sketch => ({
  to,
  body: storeAddr(q(0x05138d91), previous).storeBit(false),
  sends,
})

/** Liquidity of a position of TONCO is burnt: the pool asks the position, which orders `paid`. */
export function toncoBurn(paid: Sketch): Sketch {
  const order = (b: Builder) => b.storeUint(3, 64).storeUint(9, 128).storeInt(-60, 24).storeInt(60, 24)
  const ordered = { to: 'POOL', body: order(storeAddr(q(0xd73ac09d), 'ALICE')), sends: [paid] }
  const asked = { to: 'POSITION', body: storeAddr(q(0x46ca335a), 'ALICE'), sends: [ordered] }
  return { to: 'POOL', body: order(q(0x530b5f2c)), sends: [asked] }
}
