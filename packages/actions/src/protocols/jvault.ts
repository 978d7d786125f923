// JVault staking pools.

import { forEachLeaf, loadDictRoot, parseBoc, type Slice } from '@shardwalk/cells'
import { JVAULT } from '@shardwalk/contracts'
import { attempt, bodyAfterQuery, loadAddress } from '../body.ts'
import { type Draft, type Match, type Matcher, need } from '../core/matcher.ts'
import { as, call, chain, either, maybe, over, overList, ton, where } from '../core/pattern.ts'
import { type ContractFacts, factsOf, walletOf } from '../facts.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { jettonTransfer, transferOf } from './jettons.ts'

const update = call(JVAULT.updateRewards)
/** Referrers one above the other, each asked and answered, for as long as there are any. */
const referrals = {
  ...chain(
    call(JVAULT.requestUpdateReferrer, JVAULT.updateReferrer),
    where(() => false),
  ),
  optional: true,
}

const stake: Matcher = {
  name: 'jvault_stake',
  anchors: ['jetton_transfer'],
  pattern: overList(
    jettonTransfer(),
    as(
      'received',
      over(
        call(JVAULT.receiveJettons),
        either(
          as('updated', overList(call(JVAULT.requestUpdateRewards), referrals, update)),
          as('cancelled', over(call(JVAULT.cancelStake), maybe(jettonTransfer()))),
        ),
      ),
    ),
    maybe(call(JVAULT.setData)),
  ),
  build({ anchor, captures }) {
    const transfer = transferOf(anchor)
    const received = need(captures.find('received'), 'stake wallet')
    const updated = captures.find('updated')
    const period = need(transfer.request.payload, 'payload').afterOpcode().loadUint(32)
    const columns = (): Columns => ({
      source: transfer.sender,
      source_secondary: transfer.senderWallet,
      destination: received.source,
      asset: transfer.asset,
      amount: transfer.request.amount,
      jvault_stake_data: { period, stake_wallet: received.destination },
    })
    const failed = captures.find('cancelled') !== undefined || received.failed || updated?.failed === true
    return { type: 'jvault_stake', failed, columns }
  },
}

/** What the data cells of a stake wallet and of its pool say. */
interface StakeWallet {
  readonly pool: Address | null
  readonly stakingToken: Address | null
  readonly stakedAsset: Address | undefined
}

const dataOf = (facts: ContractFacts, address: Address | null): Slice | undefined => {
  const { data } = factsOf(facts, address)
  return (
    data &&
    attempt(() => {
      const bag = parseBoc(data, { verifyCrc: false })
      return bag.slice(bag.root)
    })
  )
}

/** Stake wallet: `pool:Addr minter:Addr ...`. */
export function readStakeWallet(data: Slice) {
  return { pool: loadAddress(data), minter: loadAddress(data) }
}

/** Pool: 33 bits, then `admin:Addr creator:Addr lock_wallet:Addr ...`. */
export function readLockWallet(data: Slice): Address | null {
  loadAddress(data.skip(33))
  loadAddress(data)
  return loadAddress(data)
}

function stakeWallet(facts: ContractFacts, address: Address | null): StakeWallet | undefined {
  const data = dataOf(facts, address)
  const known = data && attempt(() => readStakeWallet(data))
  if (!known) return undefined
  const poolData = dataOf(facts, known.pool)
  const lockWallet = poolData && attempt(() => readLockWallet(poolData))
  return { pool: known.pool, stakingToken: known.minter, stakedAsset: walletOf(facts, lockWallet)?.jetton }
}

const unstake: Matcher = {
  name: 'jvault_unstake',
  anchors: [JVAULT.unstakeJettons],
  pattern: over(
    call(JVAULT.unstakeJettons),
    maybe(
      as(
        'updated',
        overList(
          call(JVAULT.requestUpdateRewards),
          referrals,
          maybe(ton),
          as('out', jettonTransfer()),
          update,
        ),
      ),
    ),
  ),
  build(match) {
    const { anchor, captures, facts } = match
    const wallet = need(stakeWallet(facts, anchor.destination), 'stake wallet')
    const asset = need(wallet.stakedAsset, 'staked asset')
    const out = captures.find('out')
    if (out && transferOf(out).asset !== asset) return undefined
    const exitCode = out ? null : anchor.node.transaction.exitCode
    return unstakeDraft(match, 'jvault_unstake', { ...wallet, stakedAsset: asset, exitCode, failed: false })
  },
}

const unstakeRequest: Matcher = {
  name: 'jvault_unstake_request',
  anchors: [JVAULT.unstakeRequest],
  pattern: over(
    call(JVAULT.unstakeRequest),
    maybe(as('updated', overList(call(JVAULT.requestUpdateRewards), referrals, update))),
  ),
  build(match) {
    const { anchor, captures, facts } = match
    const updated = captures.find('updated')
    const wallet = stakeWallet(facts, anchor.destination)
    const exitCode = updated ? null : anchor.node.transaction.exitCode
    const failed = !updated || anchor.failed || updated.failed
    if (!updated) need(wallet?.stakedAsset, 'staked asset')
    const pool = updated ? updated.destination : (wallet?.pool ?? null)
    const known = { stakingToken: wallet?.stakingToken ?? null, stakedAsset: wallet?.stakedAsset }
    return unstakeDraft(match, 'jvault_unstake_request', { ...known, pool, exitCode, failed })
  },
}

interface Unstaking extends StakeWallet {
  readonly exitCode: number | null
  readonly failed: boolean
}

/** `query_id amount:Coins`; failure shows as an exit code. */
function unstakeDraft({ anchor }: Match, type: string, unstaking: Unstaking): Draft {
  const amount = bodyAfterQuery(anchor).loadCoins()
  const columns = (): Columns => ({
    source: anchor.source,
    source_secondary: anchor.destination,
    destination: unstaking.pool,
    amount,
    asset: unstaking.stakedAsset ?? null,
    asset2: unstaking.stakingToken,
    opcode: unstaking.exitCode,
  })
  return { type, failed: unstaking.failed, columns }
}

const out = as('out', jettonTransfer())

const claim: Matcher = {
  name: 'jvault_claim',
  anchors: [JVAULT.claimRewards],
  pattern: over(
    call(JVAULT.claimRewards),
    as(
      'send',
      overList(call(JVAULT.sendClaimedRewards), out, update, maybe(out), maybe(out), maybe(out), maybe(out)),
    ),
  ),
  build({ anchor, captures }) {
    const send = need(captures.find('send'), 'pool')
    const wallets = readClaimed(bodyAfterQuery(anchor))
    const paid = captures.all('out').map(transferOf)
    const amounts = wallets.map(
      (wallet) => paid.find(({ senderWallet }) => senderWallet === wallet)?.request.amount,
    )
    const known = amounts.filter((amount) => amount !== undefined)
    const columns = (): Columns => ({
      source: anchor.source,
      source_secondary: anchor.destination,
      destination: send.destination,
      jvault_claim_data: {
        claimed_jettons: wallets,
        claimed_amounts: known.length === wallets.length ? known : paid.map(({ request }) => request.amount),
      },
    })
    return { type: 'jvault_claim', columns }
  },
}

/** Keys of `HashmapE 267 X`: `addr_std` with its three tag bits. */
function readClaimed(body: Slice): Address[] {
  const wallets: Address[] = []
  forEachLeaf(loadDictRoot(body), 267, (_, key) => {
    const bits = key.toBigInt()
    const workchain = BigInt.asIntN(8, bits >> 256n)
    wallets.push(`${workchain}:${BigInt.asUintN(256, bits).toString(16).toUpperCase().padStart(64, '0')}`)
  })
  return wallets
}

export const jvault: readonly Matcher[] = [stake, unstake, claim, unstakeRequest]
