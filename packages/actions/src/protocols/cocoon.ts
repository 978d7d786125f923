// Cocoon: computation paid by clients, done by workers behind proxies.
import type { Slice } from '@shardwalk/cells'
import { attempt, bareHex, bodyWithQuery, loadAddress, loadAnyAddress } from '../body.ts'
import type { Block } from '../core/block.ts'
import type { Captures } from '../core/match.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { as, call, maybe, overList, type Pattern, under } from '../core/pattern.ts'
import type { Columns } from '../row.ts'

const REFUND_GRANTED = 0xc68ebc7b
const WALLET_WRAPPER = 0x9c69f376
const LAST_PAYOUT = 0xf5f26a36

const excess = call(0x2565934c)
const payment = as('payment', call(0xc59a7cd3))
const workerRequest = call(0x4d725d2c)
const clientRequest = call(0x65448ff4)
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
  opcodes: [0xa040ad28, LAST_PAYOUT],
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
        payout_type: order.anchor.opcode === LAST_PAYOUT ? 'last' : 'regular',
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
  opcodes: [0x7610e6eb],
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
  opcodes: [0xbb63ff93],
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
  opcodes: [0xf172e6c2],
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
  opcodes: [0x927c7cb5],
  children: [excess],
  read: ({ anchor, queryId }) => ({
    destination: anchor.destination,
    cocoon_register_proxy_data: { query_id: queryId },
  }),
})

const unregisterProxy = kind({
  name: 'cocoon_unregister_proxy',
  opcodes: [0x6d49eaf2],
  children: [excess],
  read: ({ anchor, queryId, body }) => ({
    destination: anchor.destination,
    cocoon_unregister_proxy_data: { query_id: queryId, seqno: body.loadUint(32) },
  }),
})

const clientRegister = kind({
  name: 'cocoon_client_register',
  opcodes: [0xc45f9f3b],
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
  opcodes: [0xa9357034],
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
  opcodes: [0xfafa6cc1],
  children: [excess, asked],
  parent: maybe(as('wrapper', call(WALLET_WRAPPER))),
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
  opcodes: [0xefd711e1],
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
  opcodes: [0x6a1f6a60],
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
  return payload?.loadUint(32) === REFUND_GRANTED ? payload.loadCoins() : 0n
}

const clientWithdraw = kind({
  name: 'cocoon_client_withdraw',
  opcodes: [0xda068e78],
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
