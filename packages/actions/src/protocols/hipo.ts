// Hipo: TON staked with a treasury for hTON, at once or at the end of a round; bills stand for what waits.

import { HIPO, HIPO_BODIES, JETTON } from '@shardwalk/contracts'
import { fieldsOf } from '../body.ts'
import { type Block, TON } from '../core/block.ts'
import type { Captures } from '../core/match.ts'
import { type Draft, type Match, type Matcher, need, Unfit } from '../core/matcher.ts'
import {
  as,
  call,
  commentOf,
  either,
  maybe,
  over,
  overList,
  type Pattern,
  under,
  where,
} from '../core/pattern.ts'
import type { Address } from '../trace.ts'
import { internalAmount } from './jettons.ts'
import { stakingData } from './liquid-staking.ts'

/**
 * On mainnet. Jetton masters and wallets may be replaced, the treasury is not. Source: toncenter/ton-indexer,
 * indexer/events/blocks/messages/staking.py.
 */
const TREASURY = '0:8BC991CFE177BC7E9721433EFA3BEFD199485A55CFFD040A06C89AF026B71BCF'
const MASTER = '0:CF76AF318C0872B58A9F1925FC29C156211782B9FB01F56760D292E56123BF87'

const toTreasury = (pattern: Pattern): Pattern => ({
  ...pattern,
  test: (block, facts) => block.destination === TREASURY && (pattern.test?.(block, facts) ?? true),
})

/** From the treasury to the jetton master, and from there to the wallet of the staker. */
const passedOn = (label: string, proxy: number, wallet: Pattern): Pattern =>
  as(label, over(call(proxy), wallet))

const minted = passedOn(
  'minted',
  HIPO.proxyTokensMinted,
  as('wallet', over(call(HIPO.tokensMinted), maybe(call(JETTON.transferNotification)))),
)
const saved = passedOn('saved', HIPO.proxySaveCoins, maybe(as('wallet', call(HIPO.saveCoins))))
const burned = passedOn(
  'burned',
  HIPO.proxyTokensBurned,
  as('wallet', over(call(HIPO.tokensBurned), maybe(call(HIPO.withdrawalNotification)))),
)
const rolledBack = passedOn('rollback', HIPO.proxyRollback, maybe(as('wallet', call(HIPO.rollback))))
const billed = as('bill', call(HIPO.mintBill))

/** At the end of a round the bill is burnt and reports it, which settles what it stood for. */
const afterBill = maybe(as('burnt_bill', under(call(HIPO.billBurned), maybe(call(HIPO.burnBill)))))

interface Staked {
  readonly holder: Address | null
  readonly wallet?: Address | null
  readonly master: Address | null
  readonly amount: bigint | null
  readonly bill?: Address | null
  readonly burnt?: bigint
  readonly minted?: bigint | null
}

const draft = (
  action: 'stake_deposit' | 'stake_withdrawal' | 'stake_withdrawal_request',
  failed: boolean,
  { holder, wallet, master, amount, bill, burnt, minted }: Staked,
): Draft => ({
  type: `hipo_${action}`,
  action,
  failed,
  columns: () => ({
    source: holder,
    source_secondary: wallet ?? null,
    destination: TREASURY,
    asset: master,
    amount,
    ...stakingData('hipo', { nft: bill ?? null, burnt: burnt ?? null, minted: minted ?? null }),
  }),
})

/** Only the treasury may answer so: anybody can build contracts that send the same messages. */
function answer(captures: Captures, label: string): Block | undefined {
  const block = captures.find(label)
  if (block && block.source !== TREASURY) throw new Unfit('not sent by the treasury')
  return block
}

/** The bill that was ordered; its first message is an `nft_mint` if the item is known. */
const billOf = (order: Block | undefined): Address | null =>
  order?.next.find(({ type, opcode }) => type === 'nft_mint' || opcode === HIPO.assignBill)?.destination ??
  null

const walletOf = (captures: Captures): Address | null => captures.find('wallet')?.destination ?? null

const isDeposit = where((block) => block.type === TON && ['d', 'D'].includes(commentOf(block) ?? ''))

const deposit: Matcher = {
  name: 'hipo_deposit',
  anchors: [HIPO.deposit, TON],
  pattern: overList(
    toTreasury(where((block, facts) => block.opcode === HIPO.deposit || isDeposit.test!(block, facts))),
    maybe(either(minted, saved)),
    maybe(billed),
  ),
  build({ anchor, captures }) {
    const [mint, save, bill] = ['minted', 'saved', 'bill'].map((label) => answer(captures, label))
    const order = anchor.isCall ? fieldsOf(anchor, HIPO_BODIES.deposit) : undefined
    const done = mint && fieldsOf(mint, HIPO_BODIES.tokensMinted)
    // Zero coins: all that was sent.
    const coins =
      done?.coins ?? (save ? fieldsOf(save, HIPO_BODIES.saveCoins).coins : order?.coins || anchor.value)
    return draft('stake_deposit', anchor.failed || !(mint ?? save), {
      holder: order?.owner ?? anchor.source,
      wallet: walletOf(captures),
      master: (mint ?? save)?.destination ?? MASTER,
      amount: coins,
      bill: billOf(bill),
      minted: done?.tokens ?? null,
    })
  },
}

/** A burn that the treasury pays for, or promises to. What it rolls back remains a burn. */
const withdrawal: Matcher = {
  name: 'hipo_withdrawal',
  anchors: [JETTON.burn],
  pattern: over(
    call(JETTON.burn),
    as(
      'master',
      over(
        call(HIPO.proxyReserveTokens),
        as('reserve', over(toTreasury(call(HIPO.reserveTokens)), either(burned, billed))),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const { owner } = fieldsOf(need(captures.find('reserve'), 'order'), HIPO_BODIES.reserveTokens)
    const common = {
      holder: owner ?? anchor.source,
      wallet: anchor.destination,
      master: need(captures.find('master'), 'jetton master').destination,
    }
    const paid = answer(captures, 'burned')
    if (paid) {
      const { tokens, coins } = fieldsOf(paid, HIPO_BODIES.tokensBurned)
      return draft('stake_withdrawal', anchor.failed, { ...common, amount: coins, burnt: tokens })
    }
    const bill = need(answer(captures, 'bill'), 'bill')
    const burnt = fieldsOf(bill, HIPO_BODIES.mintBill).amount || internalAmount(anchor)
    return draft('stake_withdrawal_request', anchor.failed, {
      ...common,
      amount: burnt,
      burnt,
      bill: billOf(bill),
    })
  },
}

/** The amount was reported when it was deposited. */
const settledDeposit: Matcher = {
  name: 'hipo_settled_deposit',
  anchors: [HIPO.mintTokens],
  pattern: under(over(toTreasury(call(HIPO.mintTokens)), minted), afterBill),
  build({ anchor, captures }) {
    const mint = need(answer(captures, 'minted'), 'tokens')
    const { owner, tokens } = fieldsOf(mint, HIPO_BODIES.tokensMinted)
    return draft('stake_deposit', anchor.failed, {
      holder: owner ?? fieldsOf(anchor, HIPO_BODIES.mintTokens).owner,
      wallet: walletOf(captures),
      master: mint.destination,
      amount: null,
      bill: captures.find('burnt_bill')?.source ?? null,
      minted: tokens,
    })
  },
}

/**
 * What was to be withdrawn is paid; or it is put off, with a new bill; or, if there is no later round, it is
 * given back, and the withdrawal has failed.
 */
const settledWithdrawal: Matcher = {
  name: 'hipo_settled_withdrawal',
  anchors: [HIPO.burnTokens],
  pattern: under(over(toTreasury(call(HIPO.burnTokens)), either(burned, billed, rolledBack)), afterBill),
  build(match) {
    const { anchor, captures } = match
    const bill = captures.find('burnt_bill')?.source ?? null
    const order = fieldsOf(anchor, HIPO_BODIES.burnTokens)
    const paid = answer(captures, 'burned')
    if (paid) {
      const { owner, tokens, coins } = fieldsOf(paid, HIPO_BODIES.tokensBurned)
      return draft('stake_withdrawal', anchor.failed, {
        holder: owner ?? order.owner,
        wallet: walletOf(captures),
        master: paid.destination,
        amount: coins,
        burnt: tokens,
        bill,
      })
    }
    return captures.find('bill') ? putOff(match, order.owner) : givenBack(match, order.owner, bill)
  },
}

function putOff({ anchor, captures }: Match, holder: Address | null): Draft {
  const bill = need(answer(captures, 'bill'), 'bill')
  const { owner, amount, parent } = fieldsOf(bill, HIPO_BODIES.mintBill)
  return draft('stake_withdrawal_request', anchor.failed, {
    holder: owner ?? holder,
    master: parent ?? MASTER,
    amount,
    burnt: amount,
    bill: billOf(bill),
  })
}

function givenBack({ captures }: Match, holder: Address | null, bill: Address | null): Draft {
  const rollback = need(answer(captures, 'rollback'), 'rollback')
  const { owner, tokens } = fieldsOf(rollback, HIPO_BODIES.rollback)
  return draft('stake_withdrawal', true, {
    holder: owner ?? holder,
    wallet: walletOf(captures),
    master: rollback.destination,
    amount: null,
    burnt: tokens,
    bill,
  })
}

/** Stakes and withdrawals as they are asked for, and as they are settled at the end of a round. */
export const hipo: readonly Matcher[] = [deposit, withdrawal, settledDeposit, settledWithdrawal]
