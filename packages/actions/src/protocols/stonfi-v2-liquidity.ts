// STON.fi v2: deposits, withdrawals, and refunds of liquidity that waited for its other half.
import { JETTON, PTON, STONFI_V2, STONFI_V2_BODIES } from '@shardwalk/contracts'
import { fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { as, built, call, either, maybe, over, under } from '../core/pattern.ts'
import { withoutPton } from '../facts.ts'
import type { Columns, DexDepositData } from '../row.ts'
import type { Address } from '../trace.ts'
import { depositData, payoutOf, ptonCallBelow, unique, withdrawData } from './dex.ts'
import { burnOf, internalAmount, isJettonTransfer, jettonTransfer, transferOf } from './jettons.ts'

/** Data of the deposit block. */
interface StonfiDeposit {
  readonly dex: 'stonfi_v2'
  readonly owner: Address | null
  readonly pool: Address | null
  readonly deposit: DexDepositData
}

const depositOf = (block: Block): StonfiDeposit | undefined => {
  const data = block.type === 'dex_deposit_liquidity' ? (block.data as StonfiDeposit) : undefined
  return data?.dex === 'stonfi_v2' ? data : undefined
}

/**
 * The other half: a deposit by the same user to the same pool below the same message. Only one of the two
 * received the tokens.
 */
function otherHalf(incoming: Block, own: StonfiDeposit): Block | undefined {
  return incoming.previous?.next.find((block) => {
    const other = depositOf(block)
    return (
      other !== undefined &&
      other.owner === own.owner &&
      other.pool === own.pool &&
      other.deposit.amount2 === null &&
      other.deposit.lp_tokens_minted !== own.deposit.lp_tokens_minted
    )
  })
}

function join(own: StonfiDeposit, other: StonfiDeposit): StonfiDeposit {
  const deposit = {
    ...own.deposit,
    asset2: other.deposit.asset1,
    amount2: other.deposit.amount1,
    user_jetton_wallet_2: other.deposit.user_jetton_wallet_1,
    lp_tokens_minted: own.deposit.lp_tokens_minted ?? other.deposit.lp_tokens_minted,
  }
  return { ...own, deposit }
}

const provide: Matcher = {
  name: 'stonfi_v2_provide',
  anchors: [STONFI_V2.provide],
  pattern: under(
    over(
      call(STONFI_V2.provide),
      over(
        call(STONFI_V2.addLiquidity),
        maybe(
          over(
            call(STONFI_V2.callbackAddLiquidity),
            either(as('lp', call(JETTON.internalTransfer)), as('refund', call(STONFI_V2.addLiquidity))),
          ),
        ),
      ),
    ),
    either(
      as('in', jettonTransfer()),
      under(
        call(JETTON.transferNotification),
        either(
          as('in', call(PTON.tonTransfer)),
          under(call(JETTON.internalTransfer), as('in', jettonTransfer())),
        ),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const incoming = need(captures.find('in'), 'incoming transfer')
    const transfer = isJettonTransfer(incoming) ? transferOf(incoming) : undefined
    const {
      from_user: owner,
      left_amount: amount1,
      right_amount: amount2,
    } = fieldsOf(anchor, STONFI_V2_BODIES.provide)
    const lp = captures.find('lp')
    const own: StonfiDeposit = {
      dex: 'stonfi_v2',
      owner,
      pool: anchor.destination,
      deposit: depositData('stonfi_v2', {
        amount1: amount1 > 0n ? amount1 : amount2,
        asset1: transfer ? withoutPton(transfer.asset) : null,
        user_jetton_wallet_1: transfer?.senderWallet ?? null,
        lp_tokens_minted: lp ? internalAmount(lp) : null,
      }),
    }
    const half = otherHalf(incoming, own)
    const data = half ? join(own, depositOf(half)!) : own
    return {
      type: 'dex_deposit_liquidity',
      failed: captures.find('refund') !== undefined,
      data,
      also: half ? [half] : [],
      siblings: true,
      columns: (): Columns => ({
        source: data.owner,
        destination: data.pool,
        dex_deposit_liquidity_data: data.deposit,
      }),
    }
  },
}

const withdraw: Matcher = {
  name: 'stonfi_v2_withdraw',
  anchors: [STONFI_V2.payTo],
  pattern: under(
    over(call(STONFI_V2.payTo), jettonTransfer()),
    either(
      under(as('refund', call(STONFI_V2.refund)), as('request', call(STONFI_V2.refundMe))),
      under(call(STONFI_V2.burnNotification), as('burn', built('jetton_burn'))),
    ),
  ),
  build({ anchor, captures }) {
    const payments = (anchor.previous?.next ?? []).filter(
      (block) => block.opcode === STONFI_V2.payTo && block.next.some(isJettonTransfer),
    )
    const transfers = payments.flatMap((block) => block.next.filter(isJettonTransfer))
    const [first, second] = transfers.map(payoutOf)
    const burn = captures.find('burn')
    const burnt = burn && burnOf(burn)
    const data = withdrawData('stonfi_v2', [first, second], {
      lp_tokens_burnt: burnt?.amount ?? null,
      is_refund: burnt === undefined,
    })
    const columns = (): Columns => ({
      source: burnt?.owner ?? captures.find('request')?.source ?? null,
      source_secondary: burnt?.wallet ?? null,
      destination: anchor.source,
      asset: burnt?.asset ?? null,
      dex_withdraw_liquidity_data: data,
    })
    const also = unique([...payments, ...transfers, ...transfers.map(ptonCallBelow)])
    return { type: 'dex_withdraw_liquidity', also, columns }
  },
}

export { provide as stonfiV2Provide, withdraw as stonfiV2Withdraw }
