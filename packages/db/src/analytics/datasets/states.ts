import { ACCOUNT_STATUS } from '@shardwalk/model'
import { statusOfState } from '../../rows/status-of-state.ts'
import { type Dataset, fitting } from '../define-dataset.ts'
import { account, address, hash, nameOf } from '../expressions.ts'
import { blockTime, SEQNO } from './columns.ts'

const ACTIVE = ACCOUNT_STATUS.indexOf('active')

export const ACCOUNT_STATES: Dataset = {
  name: 'account_states',
  comment: 'States of accounts after each block with transactions of theirs.',
  kind: 'range',
  from: `from transactions t ${account('a', 't.account_id')}`,
  position: { seqno: 't.balance_after is not null and t.mc_block_seqno', lt: 't.lt' },
  order: 't.mc_block_seqno, t.account_id, t.lt',
  filters: { account: ['t.account_id'] },
  columns: {
    block_time: blockTime('t.now'),
    mc_block_seqno: ['i32', 't.mc_block_seqno', SEQNO],
    account: ['str', address('a'), 'The account.'],
    hash: ['str', hash('t.state_hash_after'), 'Hash of the state.'],
    balance: ['i64', 't.balance_after', 'Nanotons.'],
    account_status: ['str', nameOf(ACCOUNT_STATUS, `(${statusOfState('t')})`), 'Status.'],
    timestamp: ['i32', 't.now', 'Unix seconds.'],
    last_trans_hash: ['str', hash('t.hash'), 'The last transaction.'],
    last_trans_lt: ['i64', 't.lt', 'Its logical time.'],
    frozen_hash: ['str', hash('t.frozen_hash_after'), 'Hash of the state that is frozen; null: none is.'],
    data_hash: ['str', hash('t.data_hash_after'), 'Hash of the data; null: not active.'],
    code_hash: ['str', hash('t.code_hash_after'), 'Hash of the code; null: not active.'],
    balance_extra_currencies: [
      'str',
      "case when jsonb_typeof(t.extra_currencies_after) = 'object' then t.extra_currencies_after::text end",
      'JSON; null: none, or not shown by the block.',
    ],
  },
  bocs: {
    data_boc: [
      'bin',
      `(select d.boc from account_data d
        where d.account_id = t.account_id and d.data_hash = t.data_hash_after)`,
      'The data, of the newest state only.',
    ],
    code_boc: ['bin', '(select c.boc from codes c where c.code_hash = t.code_hash_after)', 'The code.'],
  },
}

/** Balances of jettons in the states of their wallets: as `JETTONS_AT` of packages/queries trusts them. */
const JETTON_ROWS = `
    select t.now, t.mc_block_seqno, t.lt, w.owner_id, w.jetton_id, w.account_id as wallet_id,
      case when t.end_status = ${ACTIVE} then t.jetton_balance else 0 end as amount, 'layout' as source
    from transactions t join jetton_wallets w on w.account_id = t.account_id
    where t.balance_after is not null and (t.jetton_balance is not null or t.end_status <> ${ACTIVE})`

export const BALANCES_HISTORY: Dataset = {
  name: 'balances_history',
  comment:
    'Balances of TON and of jettons after the last transaction of an account, or a wallet, in a block.',
  kind: 'range',
  dependsOn: 'contracts',
  from: `from (
    select t.now, t.mc_block_seqno, t.lt, t.account_id as owner_id, null::int8 as jetton_id,
      null::int8 as wallet_id, t.balance_after::numeric as amount, 'state' as source
    from transactions t where t.balance_after is not null
    union all ${JETTON_ROWS}
  ) t ${account('a', 't.owner_id')} ${account('j', 't.jetton_id')} ${account('w', 't.wallet_id')}`,
  position: { seqno: 't.mc_block_seqno', lt: 't.lt' },
  order: 't.mc_block_seqno, t.owner_id, t.jetton_id nulls first, t.lt, t.wallet_id',
  filters: { account: ['t.owner_id'], jetton: ['t.jetton_id'] },
  columns: {
    block_time: blockTime('t.now'),
    mc_block_seqno: ['i32', 't.mc_block_seqno', SEQNO],
    address: ['str', address('a'), 'The account.'],
    asset: ['str', `coalesce(${address('j')}, 'TON')`, 'TON, or the master of the jetton.'],
    amount: ['d38', fitting('t.amount', 38), 'Balance then, smallest unit; null: see amount_text.'],
    mintless_claimed: ['bool', 'null::bool', 'Not known for the past.'],
    timestamp: ['i32', 't.now', 'Unix seconds.'],
    lt: ['i64', 't.lt', 'Logical time of the transaction.'],
    jetton_wallet: ['str', address('w'), 'The jetton wallet; null: TON.'],
    amount_text: ['str', 't.amount::text', 'The amount, whatever its size.'],
    source: ['str', 't.source', 'state: of the account; layout: in the data of the jetton wallet.'],
  },
}
