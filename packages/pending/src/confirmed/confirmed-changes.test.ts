import { parseBoc } from '@shardwalk/cells'
import { nativeGetter, readStack } from '@shardwalk/contracts'
import { type AccountStateAfter, formatRawAddress, type RawAddress } from '@shardwalk/model'
import { Recording } from '@shardwalk/sources'
import { afterAll, expect, test } from 'vitest'
import { type ChangesPorts, confirmedChanges, type KnownWallet } from './confirmed-changes.ts'
import { SignedBlock } from './signed-block.ts'

// Jettons are minted to owners who have no wallet yet, then transferred.
const [FROM, TO] = [26, 46]

const recording = await Recording.open('fixtures/chain')
afterAll(() => recording.close())
const blocks: SignedBlock[] = []
for (let seqno = FROM; seqno <= TO; seqno++)
  for (const block of recording.step(seqno)!.shards)
    blocks.push(await SignedBlock.open({ id: block.id, bytes: await recording.read(block) }))

interface Truth extends KnownWallet {
  readonly block: SignedBlock
  readonly wallet: RawAddress
  readonly balance: bigint
  readonly isNew: boolean
}

/** What get-methods of well-known wallets return of the states after the blocks; see `nativeGetter`. */
function walletsIn(block: SignedBlock): Truth[] {
  return [...block.statesAfter(block.accounts)].flatMap(([{ account: wallet, isNew }, state]) => {
    const data = rootOf(state)
    const { codeHash } = state
    if (!data || !codeHash) return []
    const stack = nativeGetter({ codeHash, code: data, data, method: 'get_wallet_data' })
    const said = readStack(stack, { balance: 'int', owner: 'address', master: 'address' })
    return said ? [{ ...said, codeHash, block, wallet, isNew }] : []
  })
}

function rootOf({ data, parts, dataHash }: AccountStateAfter) {
  const bag = (data ?? parts) ? parseBoc((data ?? parts)!, { allowLevel: true }) : undefined
  const root = bag?.roots.find((cell) => bag.hash(cell, 0).equals(dataHash!))
  return root === undefined ? undefined : bag!.cell(root)
}

const raw = formatRawAddress
const truth = blocks.flatMap(walletsIn)
const changed = truth.filter(({ isNew }) => !isNew)
const deployed = truth.filter(({ isNew }) => isNew)

const asked: string[] = []
/** `known`: what the index has. */
function ports(known: readonly Truth[], rest: Partial<ChangesPorts> = {}): ChangesPorts {
  asked.length = 0
  return {
    isWatched: () => true,
    wallets: {
      known: async () => new Map(known.map((one) => [raw(one.wallet), one])),
      isWalletOf: async (wallet) => {
        asked.push(raw(wallet))
        return true
      },
    },
    ...rest,
  }
}

test('every account of a block has its last state, once', async () => {
  for (const block of blocks.slice(0, 20)) {
    const { states, wallets } = await confirmedChanges(block, ports([], { wallets: undefined }))
    expect(states.map(({ account }) => raw(account))).toEqual(
      block.accounts.map(({ account }) => raw(account)),
    )
    for (const [i, { hash, lt }] of states.entries()) {
      expect(hash).toEqual(block.accounts[i]!.stateHash)
      expect(lt).toBe(block.accounts[i]!.lastLt)
    }
    expect(wallets).toEqual([])
  }
})

test('wallets that the index knows have the balance that they say themselves', async () => {
  expect(changed.length).toBeGreaterThan(10)
  for (const one of changed) {
    const { wallets } = await confirmedChanges(one.block, ports([one]))
    const own = wallets.find(({ wallet }) => raw(wallet) === raw(one.wallet))
    expect(own).toMatchObject({ balance: one.balance, owner: one.owner, master: one.master })
    expect(own!.codeHash).toEqual(one.codeHash)
  }
})

test('a new wallet is sent if its master confirms it', async () => {
  expect(deployed.length).toBeGreaterThan(0)
  for (const one of deployed) {
    const isWatched = (account: string) => account === raw(one.owner)
    const { wallets } = await confirmedChanges(one.block, ports([], { isWatched }))
    const own = wallets.find(({ wallet }) => raw(wallet) === raw(one.wallet))
    expect(own).toMatchObject({ balance: one.balance, owner: one.owner, master: one.master })
    expect(asked).toEqual(wallets.map(({ wallet }) => raw(wallet)))
    const isWalletOf = async () => false
    const refused = await confirmedChanges(
      one.block,
      ports([], { wallets: { ...ports([]).wallets!, isWalletOf } }),
    )
    expect(refused.wallets).toEqual([])
  }
})

test('who follows an owner receives the wallet, not its state; others receive nothing', async () => {
  const [one] = changed
  const ofOwner = (account: string) => account === raw(one!.owner)
  const owned = await confirmedChanges(one!.block, ports([one!], { isWatched: ofOwner }))
  expect(owned.wallets.map(({ wallet }) => raw(wallet))).toEqual([raw(one!.wallet)])
  expect(owned.states.map(({ account }) => raw(account))).not.toContain(raw(one!.wallet))
  const nobody = await confirmedChanges(one!.block, ports([one!], { isWatched: () => false }))
  expect(nobody).toEqual({ states: [], wallets: [] })
})

test('what only looks like a wallet, or has another code or owner than before, is not sent', async () => {
  const [one, other] = changed
  const changedWith = async (known: readonly Truth[]) =>
    (await confirmedChanges(one!.block, ports(known))).wallets.map(({ wallet }) => raw(wallet))
  const itself = raw(one!.wallet)
  expect(await changedWith([one!])).toContain(itself)
  expect(await changedWith([])).not.toContain(itself)
  expect(await changedWith([{ ...one!, codeHash: Buffer.alloc(32) }])).not.toContain(itself)
  expect(await changedWith([{ ...one!, owner: other!.wallet }])).not.toContain(itself)
  expect(await changedWith([{ ...one!, master: other!.wallet }])).not.toContain(itself)
})

test('a wallet that is no more has nothing', async () => {
  const gone = blocks.flatMap((block) =>
    [...block.statesAfter(block.accounts)].flatMap(([{ account: wallet }, { status }]) =>
      status === 'active' ? [] : [{ ...changed[0]!, wallet, block }],
    ),
  )
  expect(gone.length).toBeGreaterThan(0)
  const [one] = gone
  const { wallets } = await confirmedChanges(one!.block, ports([one!]))
  const own = wallets.find(({ wallet }) => raw(wallet) === raw(one!.wallet))
  expect(own).toMatchObject({ balance: 0n, owner: one!.owner, master: one!.master })
  expect(own!.codeHash).toBeUndefined()
})
