import type { View } from '../define-view.ts'
import { account, address, ton } from '../expressions.ts'

/** Accounts of an array of ids, in its order. `condition`: on `n`, which of them, from 0. */
const addressesOf = (ids: string, condition = 'true'): string =>
  `(select coalesce(array_agg(${address('x')} order by n), '{}')
      from unnest(${ids}) with ordinality l(id, nth) cross join lateral (select nth - 1 as n) i
      left join accounts x on x.id = l.id where ${condition})`

const time = (seconds: string): string => `analytics.time_of(${seconds})`

const multisigs: View = {
  name: 'multisigs',
  comment: 'One row per multisig wallet (version 2), as of the newest indexed state.',
  from: `from multisig_wallets m ${account('a', 'm.account_id')}`,
  columns: {
    multisig: [address('a'), 'The wallet.'],
    threshold: ['m.threshold', 'Approvals that an order needs.'],
    signers: [addressesOf('m.signers'), 'Who may approve, an array.'],
    proposers: [addressesOf('m.proposers'), 'Who else may propose orders, an array.'],
    next_order_seqno: ['m.next_order_seqno', 'Number of the next order; -1: any number.'],
    last_lt: ['m.lt', 'Logical time of its last transaction.'],
  },
}

const multisigOrders: View = {
  name: 'multisig_orders',
  comment: 'One row per order of a multisig wallet (version 2), as of the newest indexed state.',
  from: `from multisig_orders o ${account('a', 'o.account_id')} ${account('m', 'o.multisig_id')}`,
  columns: {
    order_address: [address('a'), 'The contract of the order.'],
    multisig: [address('m'), 'The wallet.'],
    order_seqno: ['o.order_seqno', 'Number of the order.'],
    threshold: ['o.threshold', 'Approvals that it needs.'],
    approvals: ['o.approvals_num', 'Approvals that it has.'],
    approved_by: [
      addressesOf('o.signers', 'mod(div(o.approvals_mask, 2::numeric ^ n), 2) = 1'),
      'Who approved, an array.',
    ],
    signers: [addressesOf('o.signers'), 'Who may approve, an array.'],
    executed: [
      'o.sent_for_execution',
      'Enough signers have approved, and the order has sent itself to the wallet for execution.',
    ],
    expires: [time('o.expiration_date'), 'When it can no longer be executed; null: after the year 9999.'],
    last_lt: ['o.lt', 'Logical time of its last transaction.'],
  },
}

const PASSED = `greatest(extract(epoch from now())::bigint - v.start_time, 0)`
/** Source: ton-blockchain/vesting-contract, get_locked_amount. */
const LOCKED = `case when ${PASSED} > v.total_duration then 0
      when ${PASSED} < v.cliff_duration then v.total_amount
      else v.total_amount - div(v.total_amount * div(${PASSED}, nullif(v.unlock_period, 0)),
        nullif(div(v.total_duration, nullif(v.unlock_period, 0)), 0)) end`

const vestingContracts: View = {
  name: 'vesting_contracts',
  comment: 'One row per vesting wallet, as of the newest indexed state.',
  from: `from vesting_contracts v ${account('a', 'v.account_id')} ${account('o', 'v.owner_id')}
  ${account('s', 'v.sender_id')}`,
  columns: {
    contract: [address('a'), 'The wallet.'],
    owner: [address('o'), 'Whose it is.'],
    sender: [address('s'), 'Who put the amount in.'],
    total_ton: [ton('v.total_amount'), 'Amount that was locked at the beginning, TON.'],
    total_nano: ['v.total_amount', 'The same in nanotons.'],
    start_time: [time('v.start_time'), 'When the periods begin; null: after the year 9999.'],
    cliff_time: [
      time('v.start_time + v.cliff_duration'),
      'When the first part is unlocked, with those of the periods that have passed by then.',
    ],
    end_time: [time('v.start_time + v.total_duration'), 'When nothing is locked any more.'],
    unlock_period_s: ['v.unlock_period', 'Seconds between two unlocks, which are equal.'],
    locked_ton: [ton(LOCKED), 'Locked now, TON.'],
    whitelist: [addressesOf('v.whitelist'), 'Whom locked coins may be sent to, an array.'],
    last_lt: ['v.lt', 'Logical time of its last transaction.'],
  },
}

export const CONTRACT_VIEWS: readonly View[] = [multisigs, multisigOrders, vestingContracts]
