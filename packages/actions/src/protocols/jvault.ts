// JVault staking pools.

import { parseBoc, type Slice } from '@shardwalk/cells'
import { JVAULT, JVAULT_BODIES, JVAULT_DATA } from '@shardwalk/contracts'
import { attempt, fieldsOf } from '../body.ts'
import { type Draft, type Match, type Matcher, need } from '../core/matcher.ts'
import { as, call, chain, either, maybe, over, overList, ton, where } from '../core/pattern.ts'
import { type ContractFacts, factsOf, walletOf } from '../facts.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { jettonTransfer, transferOf } from './jettons.ts'

const update = call(JVAULT.updateRewards)
/** A chain of referrers, each asked and answering. */
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
    const payload = need(transfer.request.payload, 'payload')
    const { period } = JVAULT_BODIES.stakePayload(payload.afterOpcode())
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

/** Contents of the data cells of a stake wallet and its pool. */
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

function stakeWallet(facts: ContractFacts, address: Address | null): StakeWallet | undefined {
  const data = dataOf(facts, address)
  const known = data && attempt(() => JVAULT_DATA.stakeWallet(data))
  if (!known) return undefined
  const poolData = dataOf(facts, known.pool_address)
  const lockWallet = poolData && attempt(() => JVAULT_DATA.pool(poolData).lock_wallet_address)
  return {
    pool: known.pool_address,
    stakingToken: known.minter_address,
    stakedAsset: walletOf(facts, lockWallet)?.jetton,
  }
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

/** Failure shows as an exit code. Both messages are laid out the same as far as they are read. */
function unstakeDraft({ anchor }: Match, type: string, unstaking: Unstaking): Draft {
  const amount = fieldsOf(anchor, JVAULT_BODIES.unstakeRequest).jettons_to_unstake
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
    const { jettons_to_claim: wallets } = fieldsOf(anchor, JVAULT_BODIES.claimRewards)
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

/** Jettons staked, unstaked and asked for, and rewards claimed. */
export const jvault: readonly Matcher[] = [stake, unstake, claim, unstakeRequest]
