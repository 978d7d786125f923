// EVAA lending: supply and withdrawal.

import { EVAA, EVAA_BODIES, EVAA_WITHDRAW_FAILURES, loadEvaaUserMessage } from '@shardwalk/contracts'
import { attempt, fieldsOf, prefixedHex } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need } from '../core/matcher.ts'
import {
  as,
  call,
  either,
  maybe,
  over,
  overList,
  type Pattern,
  ton,
  tonWithComment,
} from '../core/pattern.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { isJettonTransfer, jettonTransfer, transferOf, withPayload } from './jettons.ts'

/** Id of TON as an asset: SHA-256 of its name. */
export const TON_ASSET = 0x1a4219fe5e60d63af2a3cc7dce6fec69b45c6b5718497a6148e7c232ac87bd8an

/** A comment that some transfers carry; the action does not depend on it. */
export const note = (comment: string): Pattern => maybe(tonWithComment(comment))

/** A call to or from a user contract with this opcode. */
export const userCall = (opcode: number): Pattern => ({
  test: (block) => block.isCall && attempt(() => loadEvaaUserMessage(block.node.body()).opcode) === opcode,
})

interface SupplyOrder {
  readonly amount: bigint
  readonly recipient: Address | null
}

function readSupply(anchor: Block): SupplyOrder {
  if (isJettonTransfer(anchor)) {
    const { amount, request } = transferOf(anchor)
    const payload = need(request.payload, 'payload')
    return { amount, recipient: EVAA_BODIES.supplyPayload(payload.afterOpcode()).recipient_address }
  }
  const order = fieldsOf(anchor, EVAA_BODIES.supply)
  return { amount: order.supply_amount, recipient: order.recipient_address }
}

const supply: Matcher = {
  name: 'evaa_supply',
  anchors: [EVAA.supply, 'jetton_transfer'],
  pattern: over(
    either(call(EVAA.supply), withPayload(EVAA.supply)),
    as(
      'user',
      over(
        userCall(EVAA.supplyUser),
        either(
          as('ok', over(call(EVAA.supplySuccess), note('EVAA supply.'))),
          as('fail', call(EVAA.supplyFail)),
          as('refund', jettonTransfer()),
        ),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const user = need(captures.find('user'), 'user contract')
    const order = readSupply(anchor)
    const transfer = isJettonTransfer(anchor) ? transferOf(anchor) : undefined
    const ok = captures.find('ok')
    const assetId = attempt(() => EVAA_BODIES.supplyUser(loadEvaaUserMessage(user.node.body()).body).asset_id)
    const sender = transfer ? transfer.sender : anchor.source
    const columns = (): Columns => ({
      source: sender,
      source_secondary: transfer?.senderWallet ?? null,
      destination: order.recipient,
      destination_secondary: user.destination,
      amount: ok ? fieldsOf(ok, EVAA_BODIES.supplySuccess).amount_supplied : order.amount,
      asset: transfer?.asset ?? null,
      evaa_supply_data: {
        is_ton: transfer === undefined,
        asset_id: assetId === undefined ? null : prefixedHex(assetId),
        master: transfer ? transfer.receiver : anchor.destination,
        master_jetton_wallet: transfer?.receiverWallet ?? null,
        recipient_jetton_wallet:
          order.recipient === sender
            ? (transfer?.senderWallet ?? null)
            : sentOn(captures.blocks(), transfer?.receiverWallet),
      },
    })
    return { type: 'evaa_supply', failed: ok === undefined || anchor.failed, columns }
  },
}

/** Receiving wallet of a transfer from the master's wallet. */
function sentOn(blocks: readonly Block[], masterWallet: Address | null | undefined): Address | null {
  const sent = blocks.filter(isJettonTransfer).map(transferOf)
  return (
    sent.find(({ senderWallet }) => masterWallet != null && senderWallet === masterWallet)?.receiverWallet ??
    null
  )
}

const withdrawOutcome = either(
  as(
    'done',
    overList(
      call(EVAA.withdrawCollateralized),
      either(
        as('jetton', jettonTransfer()),
        as('ton', over(call(EVAA.withdrawSuccess), note('EVAA withdraw.'))),
      ),
      over(userCall(EVAA.withdrawSuccess), ton),
    ),
  ),
  as(
    'no_funds',
    over(
      call(EVAA.withdrawCollateralized),
      over(userCall(EVAA.withdrawFail), call(EVAA.withdrawNoFundsExcess)),
    ),
  ),
  as(
    'rejected',
    call(
      EVAA.withdrawLocked,
      EVAA.withdrawNotCollateralized,
      EVAA.withdrawMissingPrices,
      EVAA.withdrawExecutionCrashed,
    ),
  ),
)

function failReason({ captures }: Match): string | null {
  if (captures.find('done')) return null
  if (captures.find('no_funds')) return 'withdraw_no_funds_excess'
  return EVAA_WITHDRAW_FAILURES.get(need(captures.find('rejected')?.opcode, 'rejection')) ?? null
}

const withdraw: Matcher = {
  name: 'evaa_withdraw',
  anchors: [EVAA.withdraw],
  pattern: over(call(EVAA.withdraw), as('user', over(userCall(EVAA.withdrawUser), withdrawOutcome))),
  build(match) {
    const { anchor, captures } = match
    const order = fieldsOf(anchor, EVAA_BODIES.withdraw)
    const assetId = order.asset_id
    const done = captures.find('done')
    const isTon = assetId === TON_ASSET
    const jetton = done && !isTon ? transferOf(need(captures.find('jetton'), 'jetton pay-out')) : undefined
    if (done && isTon) need(captures.find('ton'), 'TON pay-out')
    const columns = (): Columns => ({
      source: anchor.source,
      destination: order.recipient_addr,
      destination_secondary: need(captures.find('user'), 'user contract').destination,
      amount: done
        ? fieldsOf(done, EVAA_BODIES.withdrawCollateralized).withdraw_amount_current
        : order.amount,
      asset: jetton?.asset ?? null,
      evaa_withdraw_data: {
        is_ton: isTon,
        recipient_jetton_wallet: jetton?.receiverWallet ?? null,
        master_jetton_wallet: jetton?.senderWallet ?? null,
        fail_reason: failReason(match),
        master: anchor.destination,
        asset_id: prefixedHex(assetId),
      },
    })
    return { type: 'evaa_withdraw', failed: done === undefined, columns }
  },
}

export { supply as evaaSupply, withdraw as evaaWithdraw }
