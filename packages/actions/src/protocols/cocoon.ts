// Cocoon: computation paid by clients, done by workers behind proxies.

import type { Slice } from '@shardwalk/cells'
import { COCOON } from '@shardwalk/contracts'
import { attempt, bareHex, bodyWithQuery, loadAddress, loadAnyAddress } from '../body.ts'
import type { Block } from '../core/block.ts'
import type { Captures } from '../core/match.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { as, call, maybe, overList, type Pattern, under } from '../core/pattern.ts'
import type { Columns } from '../row.ts'

const excess = call(COCOON.excesses)
const payment = as('payment', call(COCOON.payout))
const workerRequest = call(COCOON.workerRequest)
const clientRequest = call(COCOON.clientRequest)
const asked = as('request', clientRequest)

interface Order {
  readonly anchor: Block
  readonly captures: Captures
  readonly queryId: bigint
  /** Body after the query id. */
  readonly body: Slice
}

interface Kind {
  readonly name: string
  readonly opcodes: readonly number[]
  readonly children: readonly Pattern[]
  readonly parent?: Pattern
  /** Block whose transaction decides on success; default: the order itself. */
  readonly decidedBy?: 'payment'
  readonly read: (order: Order) => Columns
}

const kind = ({ name, opcodes, children, parent, decidedBy, read }: Kind): Matcher => {
  const shape = overList(call(...opcodes), ...children)
  return {
    name,
    anchors: opcodes,
    pattern: parent ? under(shape, parent) : shape,
    build({ anchor, captures }) {
      const columns = read({ anchor, captures, ...bodyWithQuery(anchor) })
      const decisive = decidedBy ? need(captures.find(decidedBy), decidedBy) : anchor
      return { type: name, failed: decisive.node.failed, columns: () => columns }
    },
  }
}

const request = ({ captures }: Order): Block => need(captures.find('request'), 'request')
const paid = ({ captures }: Order): Block => need(captures.find('payment'), 'payment')

const workerPayout = kind({
  name: 'cocoon_worker_payout',
  opcodes: [COCOON.workerPayout, COCOON.lastPayout],
  children: [as('request', overList(workerRequest, payment, maybe(excess)))],
  decidedBy: 'payment',
  read(order) {
    const { body } = bodyWithQuery(request(order))
    const owner = loadAddress(body)
    return {
      source: order.anchor.source,
      source_secondary: order.anchor.destination,
      destination: owner,
      amount: paid(order).value,
      cocoon_worker_payout_data: {
        payout_type: order.anchor.opcode === COCOON.lastPayout ? 'last' : 'regular',
        query_id: order.queryId,
        new_tokens: order.body.loadUintBig(64),
        worker_state: body.loadUint(2),
        worker_tokens: body.loadUintBig(64),
      },
    }
  },
})

const proxyPayout = kind({
  name: 'cocoon_proxy_payout',
  opcodes: [COCOON.proxyPayout],
  children: [payment, excess],
  decidedBy: 'payment',
  read: (order) => ({
    source: order.anchor.destination,
    destination: paid(order).destination,
    destination_secondary: loadAddress(order.body),
    cocoon_proxy_payout_data: { query_id: order.queryId },
  }),
})

const readTokens = ({ queryId, body }: Order) => ({
  query_id: queryId,
  new_tokens_used: body.loadUintBig(64),
  expected_address: loadAnyAddress(body),
})

const proxyCharge = kind({
  name: 'cocoon_proxy_charge',
  opcodes: [COCOON.charge],
  children: [excess, asked],
  read: (order) => ({
    source: order.anchor.destination,
    destination: request(order).destination,
    amount: 0n,
    cocoon_proxy_charge_data: readTokens(order),
  }),
})

const clientTopUp = kind({
  name: 'cocoon_client_top_up',
  opcodes: [COCOON.clientTopUp],
  children: [as('request', overList(clientRequest, excess))],
  read(order) {
    const amount = order.body.loadCoins()
    return {
      source: loadAddress(order.body),
      destination: order.anchor.destination,
      destination_secondary: request(order).destination,
      amount,
      cocoon_client_top_up_data: { query_id: order.queryId },
    }
  },
})

const registerProxy = kind({
  name: 'cocoon_register_proxy',
  opcodes: [COCOON.registerProxy],
  children: [excess],
  read: ({ anchor, queryId }) => ({
    destination: anchor.destination,
    cocoon_register_proxy_data: { query_id: queryId },
  }),
})

const unregisterProxy = kind({
  name: 'cocoon_unregister_proxy',
  opcodes: [COCOON.unregisterProxy],
  children: [excess],
  read: ({ anchor, queryId, body }) => ({
    destination: anchor.destination,
    cocoon_unregister_proxy_data: { query_id: queryId, seqno: body.loadUint(32) },
  }),
})

const clientRegister = kind({
  name: 'cocoon_client_register',
  opcodes: [COCOON.clientRegister],
  children: [excess, asked],
  read({ anchor, queryId, body }) {
    const nonce = body.loadUintBig(64)
    return {
      source: loadAddress(body),
      destination: anchor.destination,
      cocoon_client_register_data: { query_id: queryId, nonce },
    }
  },
})

const clientChangeSecretHash = kind({
  name: 'cocoon_client_change_secret_hash',
  opcodes: [COCOON.clientChangeSecretHash],
  children: [excess, asked],
  read({ anchor, queryId, body }) {
    const hash = bareHex(body.loadUintBig(256))
    return {
      source: loadAddress(body),
      destination: anchor.destination,
      cocoon_client_change_secret_hash_data: { query_id: queryId, new_secret_hash: hash },
    }
  },
})

const clientRequestRefund = kind({
  name: 'cocoon_client_request_refund',
  opcodes: [COCOON.clientRequestRefund],
  children: [excess, asked],
  parent: maybe(as('wrapper', call(COCOON.walletWrapper))),
  read: ({ anchor, captures, queryId, body }) => ({
    source: loadAddress(body),
    destination: anchor.destination,
    cocoon_client_request_refund_data: {
      query_id: queryId,
      via_wallet: captures.find('wrapper') !== undefined,
    },
  }),
})

const grantRefund = kind({
  name: 'cocoon_grant_refund',
  opcodes: [COCOON.grantRefund],
  children: [as('request', overList(clientRequest, payment, excess))],
  decidedBy: 'payment',
  read: (order) => ({
    source: order.anchor.destination,
    source_secondary: request(order).destination,
    destination: paid(order).destination,
    amount: paid(order).value,
    cocoon_grant_refund_data: readTokens(order),
  }),
})

const clientIncreaseStake = kind({
  name: 'cocoon_client_increase_stake',
  opcodes: [COCOON.clientIncreaseStake],
  children: [excess, asked],
  read({ anchor, queryId, body }) {
    const stake = body.loadCoins()
    return {
      source: loadAddress(body),
      destination: anchor.destination,
      amount: stake,
      cocoon_client_increase_stake_data: { query_id: queryId, new_stake: stake },
    }
  },
})

/** Payload of the client's request: `c68ebc7b coins:Coins`. */
function refundOf(block: Block): bigint {
  const { body } = bodyWithQuery(block)
  loadAddress(body)
  const payload = body.skipRefs(1).loadMaybeRefSlice()
  return payload?.loadUint(32) === COCOON.refundGranted ? payload.loadCoins() : 0n
}

const clientWithdraw = kind({
  name: 'cocoon_client_withdraw',
  opcodes: [COCOON.clientWithdraw],
  children: [as('request', overList(clientRequest, maybe(excess), payment))],
  read(order) {
    const amount = attempt(() => refundOf(request(order))) ?? 0n
    return {
      source: loadAddress(order.body),
      destination: order.anchor.destination,
      amount,
      cocoon_client_withdraw_data: { query_id: order.queryId, withdraw_amount: amount },
    }
  },
})

export const cocoon: readonly Matcher[] = [
  workerPayout,
  proxyPayout,
  proxyCharge,
  clientTopUp,
  registerProxy,
  unregisterProxy,
  clientRegister,
  clientChangeSecretHash,
  clientRequestRefund,
  grantRefund,
  clientIncreaseStake,
  clientWithdraw,
]
