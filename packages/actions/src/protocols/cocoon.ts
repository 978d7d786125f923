// Cocoon: computation paid by clients, done by workers behind proxies.

import type { Slice } from '@shardwalk/cells'
import { COCOON, COCOON_BODIES } from '@shardwalk/contracts'
import { attempt, bareHex, fieldsOf } from '../body.ts'
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

interface Order<T> {
  readonly anchor: Block
  readonly captures: Captures
  /** Those of the anchor's body. */
  readonly fields: T
}

interface Kind<T> {
  readonly name: string
  readonly opcodes: readonly number[]
  readonly body: (body: Slice) => T
  readonly children: readonly Pattern[]
  readonly parent?: Pattern
  /** Block whose transaction decides about success; default: the order itself. */
  readonly decidedBy?: 'payment'
  readonly read: (order: Order<T>) => Columns
}

const kind = <T>({ name, opcodes, body, children, parent, decidedBy, read }: Kind<T>): Matcher => {
  const shape = overList(call(...opcodes), ...children)
  return {
    name,
    anchors: opcodes,
    pattern: parent ? under(shape, parent) : shape,
    build({ anchor, captures }) {
      const columns = read({ anchor, captures, fields: fieldsOf(anchor, body) })
      const decisive = decidedBy ? need(captures.find(decidedBy), decidedBy) : anchor
      return { type: name, failed: decisive.node.failed, columns: () => columns }
    },
  }
}

const request = ({ captures }: Pick<Order<unknown>, 'captures'>): Block =>
  need(captures.find('request'), 'request')
const paid = ({ captures }: Pick<Order<unknown>, 'captures'>): Block =>
  need(captures.find('payment'), 'payment')

const workerPayout = kind({
  name: 'cocoon_worker_payout',
  opcodes: [COCOON.workerPayout, COCOON.lastPayout],
  body: COCOON_BODIES.workerPayout,
  children: [as('request', overList(workerRequest, payment, maybe(excess)))],
  decidedBy: 'payment',
  read(order) {
    const worker = fieldsOf(request(order), COCOON_BODIES.workerRequest)
    return {
      source: order.anchor.source,
      source_secondary: order.anchor.destination,
      destination: worker.owner_address,
      amount: paid(order).value,
      cocoon_worker_payout_data: {
        payout_type: order.anchor.opcode === COCOON.lastPayout ? 'last' : 'regular',
        ...order.fields,
        worker_state: worker.state,
        worker_tokens: worker.tokens,
      },
    }
  },
})

const proxyPayout = kind({
  name: 'cocoon_proxy_payout',
  opcodes: [COCOON.proxyPayout],
  body: COCOON_BODIES.proxyPayout,
  children: [payment, excess],
  decidedBy: 'payment',
  read: (order) => ({
    source: order.anchor.destination,
    destination: paid(order).destination,
    destination_secondary: order.fields.send_excesses_to,
    cocoon_proxy_payout_data: { query_id: order.fields.query_id },
  }),
})

const tokensOf = ({ expected_my_address, ...fields }: ReturnType<typeof COCOON_BODIES.charge>) => ({
  ...fields,
  expected_address: expected_my_address,
})

const proxyCharge = kind({
  name: 'cocoon_proxy_charge',
  opcodes: [COCOON.charge],
  body: COCOON_BODIES.charge,
  children: [excess, asked],
  read: (order) => ({
    source: order.anchor.destination,
    destination: request(order).destination,
    amount: 0n,
    cocoon_proxy_charge_data: tokensOf(order.fields),
  }),
})

const clientTopUp = kind({
  name: 'cocoon_client_top_up',
  opcodes: [COCOON.clientTopUp],
  body: COCOON_BODIES.clientTopUp,
  children: [as('request', overList(clientRequest, excess))],
  read: ({ anchor, captures, fields }) => ({
    source: fields.send_excesses_to,
    destination: anchor.destination,
    destination_secondary: request({ captures }).destination,
    amount: fields.top_up_amount,
    cocoon_client_top_up_data: { query_id: fields.query_id },
  }),
})

const registerProxy = kind({
  name: 'cocoon_register_proxy',
  opcodes: [COCOON.registerProxy],
  body: COCOON_BODIES.registerProxy,
  children: [excess],
  read: ({ anchor, fields }) => ({
    destination: anchor.destination,
    cocoon_register_proxy_data: fields,
  }),
})

const unregisterProxy = kind({
  name: 'cocoon_unregister_proxy',
  opcodes: [COCOON.unregisterProxy],
  body: COCOON_BODIES.unregisterProxy,
  children: [excess],
  read: ({ anchor, fields }) => ({
    destination: anchor.destination,
    cocoon_unregister_proxy_data: fields,
  }),
})

const clientRegister = kind({
  name: 'cocoon_client_register',
  opcodes: [COCOON.clientRegister],
  body: COCOON_BODIES.clientRegister,
  children: [excess, asked],
  read: ({ anchor, fields: { query_id, nonce, send_excesses_to } }) => ({
    source: send_excesses_to,
    destination: anchor.destination,
    cocoon_client_register_data: { query_id, nonce },
  }),
})

const clientChangeSecretHash = kind({
  name: 'cocoon_client_change_secret_hash',
  opcodes: [COCOON.clientChangeSecretHash],
  body: COCOON_BODIES.clientChangeSecretHash,
  children: [excess, asked],
  read: ({ anchor, fields: { query_id, new_secret_hash, send_excesses_to } }) => ({
    source: send_excesses_to,
    destination: anchor.destination,
    cocoon_client_change_secret_hash_data: { query_id, new_secret_hash: bareHex(new_secret_hash) },
  }),
})

const clientRequestRefund = kind({
  name: 'cocoon_client_request_refund',
  opcodes: [COCOON.clientRequestRefund],
  body: COCOON_BODIES.clientRequestRefund,
  children: [excess, asked],
  parent: maybe(as('wrapper', call(COCOON.walletWrapper))),
  read: ({ anchor, captures, fields: { query_id, send_excesses_to } }) => ({
    source: send_excesses_to,
    destination: anchor.destination,
    cocoon_client_request_refund_data: { query_id, via_wallet: captures.find('wrapper') !== undefined },
  }),
})

const grantRefund = kind({
  name: 'cocoon_grant_refund',
  opcodes: [COCOON.grantRefund],
  body: COCOON_BODIES.grantRefund,
  children: [as('request', overList(clientRequest, payment, excess))],
  decidedBy: 'payment',
  read: (order) => ({
    source: order.anchor.destination,
    source_secondary: request(order).destination,
    destination: paid(order).destination,
    amount: paid(order).value,
    cocoon_grant_refund_data: tokensOf(order.fields),
  }),
})

const clientIncreaseStake = kind({
  name: 'cocoon_client_increase_stake',
  opcodes: [COCOON.clientIncreaseStake],
  body: COCOON_BODIES.clientIncreaseStake,
  children: [excess, asked],
  read: ({ anchor, fields: { query_id, new_stake, send_excesses_to } }) => ({
    source: send_excesses_to,
    destination: anchor.destination,
    amount: new_stake,
    cocoon_client_increase_stake_data: { query_id, new_stake },
  }),
})

/** What the payload of the client's request grants. */
function refundOf(block: Block): bigint {
  const { payload } = fieldsOf(block, COCOON_BODIES.clientRequest)
  return payload?.loadUint(32) === COCOON.refundGranted ? COCOON_BODIES.refundGranted(payload).coins : 0n
}

const clientWithdraw = kind({
  name: 'cocoon_client_withdraw',
  opcodes: [COCOON.clientWithdraw],
  body: COCOON_BODIES.clientWithdraw,
  children: [as('request', overList(clientRequest, maybe(excess), payment))],
  read(order) {
    const amount = attempt(() => refundOf(request(order))) ?? 0n
    return {
      source: order.fields.send_excesses_to,
      destination: order.anchor.destination,
      amount,
      cocoon_client_withdraw_data: { query_id: order.fields.query_id, withdraw_amount: amount },
    }
  },
})

/** Each recognises one message of the protocol by its opcode, with the messages that answer it. */
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
