// EVAA lending: supply and withdrawal.

import type { Slice } from '@shardwalk/cells'
import { EVAA } from '@shardwalk/contracts'
import { attempt, bodyAfterQuery, loadAddress, prefixedHex } from '../body.ts'
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

const TON_ASSET = 0x1a4219fe5e60d63af2a3cc7dce6fec69b45c6b5718497a6148e7c232ac87bd8an

export const note = (comment: string): Pattern => maybe(tonWithComment(comment))

/**
 * Reader after the header that commands to and from user contracts carry: `version:Coins upgrade:(Maybe ^)
 * exec:2`.
 */
function skipHeader(block: Block): Slice {
  const body = block.node.body()
  body.loadCoins()
  if (body.loadBit()) body.skipRefs(1)
  return body.skip(2)
}

/** Reader after header and opcode. */
const userCommand = (block: Block): Slice => skipHeader(block).skip(32)

/** A call whose body has the header, then this opcode. */
export const userCall = (opcode: number): Pattern => ({
  test: (block) => block.isCall && attempt(() => skipHeader(block).loadUint(32)) === opcode,
})

/** `query_id owner:Addr asset_id:256 amount:64`. */
function readOutcome(block: Block) {
  const body = bodyAfterQuery(block)
  loadAddress(body)
  return { assetId: body.loadUintBig(256), amount: body.loadUintBig(64) }
}

interface SupplyOrder {
  readonly amount: bigint
  readonly recipient: Address | null
}

function readSupply(anchor: Block): SupplyOrder {
  if (isJettonTransfer(anchor)) {
    const { amount, request } = transferOf(anchor)
    return { amount, recipient: loadAddress(need(request.payload, 'payload').afterOpcode().skip(2)) }
  }
  const body = bodyAfterQuery(anchor).skip(2)
  return { amount: body.loadUintBig(64), recipient: loadAddress(body) }
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
    const assetId = attempt(() => userCommand(user).skip(64).loadUintBig(256))
    const sender = transfer ? transfer.sender : anchor.source
    const columns = (): Columns => ({
      source: sender,
      source_secondary: transfer?.senderWallet ?? null,
      destination: order.recipient,
      destination_secondary: user.destination,
      amount: ok ? readOutcome(ok).amount : order.amount,
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

/** Receiving wallet of a transfer out of the master's wallet. */
function sentOn(blocks: readonly Block[], masterWallet: Address | null | undefined): Address | null {
  const sent = blocks.filter(isJettonTransfer).map(transferOf)
  return (
    sent.find(({ senderWallet }) => masterWallet != null && senderWallet === masterWallet)?.receiverWallet ??
    null
  )
}

const FAIL_REASONS: Readonly<Record<number, string>> = {
  8678: 'withdraw_locked_excess',
  8679: 'withdraw_not_collateralized_excess',
  8680: 'withdraw_missing_prices_excess',
  8684: 'withdraw_execution_crashed',
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
  return FAIL_REASONS[need(captures.find('rejected')?.opcode, 'rejection')] ?? null
}

const withdraw: Matcher = {
  name: 'evaa_withdraw',
  anchors: [EVAA.withdraw],
  pattern: over(call(EVAA.withdraw), as('user', over(userCall(EVAA.withdrawUser), withdrawOutcome))),
  build(match) {
    const { anchor, captures } = match
    const body = bodyAfterQuery(anchor)
    const assetId = body.loadUintBig(256)
    const requested = body.loadUintBig(64)
    const recipient = loadAddress(body)
    const done = captures.find('done')
    const isTon = assetId === TON_ASSET
    const jetton = done && !isTon ? transferOf(need(captures.find('jetton'), 'jetton pay-out')) : undefined
    if (done && isTon) need(captures.find('ton'), 'TON pay-out')
    const columns = (): Columns => ({
      source: anchor.source,
      destination: recipient,
      destination_secondary: need(captures.find('user'), 'user contract').destination,
      amount: done ? readOutcome(done).amount : requested,
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
