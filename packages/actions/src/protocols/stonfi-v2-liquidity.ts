// STON.fi v2: liquidity in, liquidity out, and refunds of liquidity that waited for its other half.
import { bodyAfterQuery, loadAddress } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { as, built, call, either, maybe, over, under } from '../core/pattern.ts'
import { withoutPton } from '../facts.ts'
import type { Columns, DexDepositData } from '../row.ts'
import type { Address } from '../trace.ts'
import { depositData, PTON_TRANSFER, payoutOf, ptonCallBelow, unique, withdrawData } from './dex.ts'
import {
  burnOf,
  INTERNAL_TRANSFER,
  internalAmount,
  isJettonTransfer,
  jettonTransfer,
  TRANSFER_NOTIFICATION,
  transferOf,
} from './jettons.ts'
import { PAY_TO } from './stonfi-v2.ts'

const PROVIDE = 0x37c096df
const ADD_LIQUIDITY = 0x50c6a654
const CALLBACK_ADD_LIQUIDITY = 0x06ecd527
const BURN_NOTIFICATION_TO_POOL = 0x297437cf
const REFUND_ME = 0x132b9a2c
const REFUND = 0x0f98e2b8

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

/** The other half: a deposit by the same user to the same pool below the same message, of which only one got the tokens. */
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
  anchors: [PROVIDE],
  pattern: under(
    over(
      call(PROVIDE),
      over(
        call(ADD_LIQUIDITY),
        maybe(
          over(
            call(CALLBACK_ADD_LIQUIDITY),
            either(as('lp', call(INTERNAL_TRANSFER)), as('refund', call(ADD_LIQUIDITY))),
          ),
        ),
      ),
    ),
    either(
      as('in', jettonTransfer()),
      under(
        call(TRANSFER_NOTIFICATION),
        either(as('in', call(PTON_TRANSFER)), under(call(INTERNAL_TRANSFER), as('in', jettonTransfer()))),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const incoming = need(captures.find('in'), 'incoming transfer')
    const transfer = isJettonTransfer(incoming) ? transferOf(incoming) : undefined
    const body = bodyAfterQuery(anchor)
    const owner = loadAddress(body)
    const [amount1, amount2] = [body.loadCoins(), body.loadCoins()]
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
  anchors: [PAY_TO],
  pattern: under(
    over(call(PAY_TO), jettonTransfer()),
    either(
      under(as('refund', call(REFUND)), as('request', call(REFUND_ME))),
      under(call(BURN_NOTIFICATION_TO_POOL), as('burn', built('jetton_burn'))),
    ),
  ),
  build({ anchor, captures }) {
    const payments = (anchor.previous?.next ?? []).filter(
      (block) => block.opcode === PAY_TO && block.next.some(isJettonTransfer),
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
