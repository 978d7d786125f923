import { ACCOUNT_STATUS } from '@shardwalk/model'
import type { View } from '../define-view.ts'
import { account, address, COMMITTED, times, ton } from '../expressions.ts'
import { attribute, JETTON, jetton, units } from './jetton-content.ts'

const ACTIVE = ACCOUNT_STATUS.indexOf('active')

const holders: View = {
  name: 'jetton_holders',
  comment: 'One row per owner of a jetton, as of the newest indexed state; empty wallets left out.',
  from: `from jetton_wallets w ${jetton('w.jetton_id')}
  ${account('o', 'w.owner_id')} ${account('wa', 'w.account_id')} where w.balance > 0`,
  columns: {
    ...JETTON,
    owner: [address('o'), 'The owner.'],
    balance: [units('w.balance'), 'In whole units.'],
    balance_raw: ['w.balance', 'In the smallest unit.'],
    wallet: [address('wa'), 'The jetton wallet.'],
    last_lt: ['w.lt', 'Logical time of the last transaction of the wallet.'],
  },
}

const balances: View = {
  name: 'balances',
  comment: 'One row per account and asset, as of the newest indexed state: TON and jettons; zero left out.',
  from: `from latest_account_states s ${account('o', 's.account_id')} where s.balance > 0`,
  columns: {
    owner: [address('o'), 'The account.'],
    asset: ["'TON'", 'TON, or the address of the jetton master.'],
    symbol: ["'TON'", 'Symbol; null: not known.'],
    balance: [`(${ton('s.balance')})::numeric`, 'In whole units.'],
    balance_raw: ['s.balance::numeric', 'In the smallest unit.'],
    last_lt: ['s.lt', 'Logical time of the last transaction that may have changed it.'],
    wallet: ['null::text', 'The jetton wallet; null: TON.'],
  },
  union: [
    {
      from: `from jetton_wallets w ${jetton('w.jetton_id')} ${account('o', 'w.owner_id')}
  ${account('wa', 'w.account_id')} where w.balance > 0`,
      columns: {
        asset: address('ja'),
        symbol: attribute('j', 'symbol'),
        balance: units('w.balance'),
        balance_raw: 'w.balance',
        last_lt: 'w.lt',
        wallet: address('wa'),
      },
    },
  ],
}

/** Shows the balance of a jetton wallet, whose data exist only while it is active. */
const shows = (alias: string): string => `${alias}.balance_after is not null
    and (${alias}.jetton_balance is not null or ${alias}.end_status <> ${ACTIVE})`
const shown = (alias: string): string =>
  `case when ${alias}.end_status = ${ACTIVE} then ${alias}.jetton_balance else 0 end`

/** The row before that of `t`, else zero if its account did not exist before the first indexed one. */
const before = (balance: string, condition: string): string => `coalesce(
      (select ${balance} from transactions p where p.account_id = t.account_id and p.lt < t.lt
        and ${condition} order by p.lt desc limit 1),
      (select 0 from transactions f where f.account_id = t.account_id and f.lt <= t.lt
        and f.prev_trans_lt = 0 limit 1))`

const changes: View = {
  name: 'balance_changes',
  comment: 'Balances over time: one row per account, asset and block that shows the balance.',
  notes: `TON: every block with transactions of the account. Jettons: every block in which the data of the
wallet changed. A block shows the balance after the last transaction in it. The balance at some moment is that
of the newest row not after it. What did not change since the first indexed block has no row, nor has a jetton
whose wallets keep their balance elsewhere than most do: \`/api/v3/balanceHistory\` says why a balance is not
known.`,
  from: `from transactions t ${account('a', 't.account_id')} where t.balance_after is not null`,
  columns: {
    ...times('t.now'),
    mc_block_seqno: ['t.mc_block_seqno', COMMITTED],
    owner: [address('a'), 'The account; of jettons the owner of the wallet.'],
    asset: ["'TON'", 'TON, or the address of the jetton master.'],
    symbol: ["'TON'", 'Symbol; null: not known.'],
    balance: [`(${ton('t.balance_after')})::numeric`, 'Balance then, in whole units.'],
    balance_raw: ['t.balance_after::numeric', 'In the smallest unit.'],
    delta: [
      `(t.balance_after - ${before('p.balance_after', 'p.balance_after is not null')}) * 0.000000001`,
      'Change since the row before, in whole units; null: what was before is not indexed.',
    ],
    wallet: ['null::text', 'The jetton wallet; null: TON.'],
    lt: ['t.lt', 'Logical time of the last transaction in the block.'],
  },
  union: [
    {
      // What the data of a wallet begin with is trusted as JETTONS_AT of packages/queries trusts it: if it
      // is what the wallet itself says of its newest state.
      from: `from transactions t join jetton_wallets w on w.account_id = t.account_id
  ${jetton('w.jetton_id')} ${account('a', 'w.owner_id')} ${account('wa', 't.account_id')}
  where ${shows('t')}
    and coalesce((select x.jetton_balance = w.balance from transactions x
      where x.account_id = w.account_id and x.lt = w.lt), true)`,
      columns: {
        asset: address('ja'),
        symbol: attribute('j', 'symbol'),
        balance: units(shown('t')),
        balance_raw: shown('t'),
        delta: units(`${shown('t')} - ${before(shown('p'), shows('p'))}`),
        wallet: address('wa'),
      },
    },
  ],
}

export const BALANCE_VIEWS: readonly View[] = [holders, balances, changes]
