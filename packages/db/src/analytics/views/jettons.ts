import { JETTON as OPCODES } from '@shardwalk/contracts'
import type { View } from '../define-view.ts'
import { account, address, COMMITTED, hash, times, ton, traceId, transactionOf } from '../expressions.ts'
import { attribute, content, decimals, JETTON, jetton, units } from './jetton-content.ts'

/** Transaction `t` in which the wallet `w` takes what no other wallet sent by the message `m`. */
const MINTED = {
  tables: `transactions t join jetton_wallets w on w.account_id = t.account_id
  join messages m on m.account_id = t.in_msg_account_id and m.lt = t.in_msg_lt
    and m.opcode in (${OPCODES.internalTransfer}, ${OPCODES.hipoTokensMinted})`,
  condition: `t.aborted is not true and not exists (
    select from (
      select p.account_id, p.in_msg_account_id, p.in_msg_lt from transactions p
      where p.account_id = m.account_id and p.lt < m.lt order by p.lt desc limit 1
    ) p join messages i on i.account_id = coalesce(p.in_msg_account_id, p.account_id)
      and i.lt = p.in_msg_lt and i.opcode = ${OPCODES.transfer}
  )`,
} as const

/** Whether another master than `j` has the symbol of `j` in a table, where an index finds it. */
const takenBy = (table: string, symbol: string, condition = 'true'): string =>
  `exists (select from ${table} k where lower(k.${symbol}) = lower(${attribute('j', 'symbol')})
        and k.account_id <> j.account_id and ${condition})`

const jettons: View = {
  name: 'jettons',
  comment: 'One row per jetton master.',
  from: `from jetton_masters j ${content('j')} ${account('ja', 'j.account_id')} ${account('m', 'j.admin_id')}
  left join address_metadata_flags f on f.account_id = j.account_id`,
  columns: {
    address: [address('ja'), 'Address of the master.'],
    symbol: [attribute('j', 'symbol'), 'Symbol, as its makers chose; null: not known.'],
    name: [attribute('j', 'name'), 'Name, as its makers chose; null: not known.'],
    decimals: [decimals('j'), 'Digits after the decimal point of a whole unit; 9 unless it says otherwise.'],
    total_supply: [units('j.total_supply'), 'Supply in whole units, as the master reports it.'],
    total_supply_raw: ['j.total_supply', 'The same in the smallest unit.'],
    mintable: ['j.mintable', 'More can be minted.'],
    admin: [address('m'), 'Who may mint; null: nobody.'],
    is_scam: ['coalesce(f.is_scam, false)', 'The operator marked it as fraud.'],
    symbol_is_unique: [
      `case when ${attribute('j', 'symbol')} is not null then
      not ${takenBy('jetton_masters', "content->>'symbol'")}
      and not ${takenBy('address_metadata', 'symbol', 'k.type = 2')}
      and not ${takenBy('metadata_overrides', "content->>'symbol'", 'k.type = 2')} end`,
      'No other master calls itself the same, in upper or lower case; null: the symbol is not known. ' +
        'Look-alike letters count as different.',
    ],
    uri: [
      attribute('j', 'uri', 'null'),
      'Where its makers put the rest of the metadata, e.g. https: or ipfs:; null: it names no place.',
    ],
  },
}

const transfers: View = {
  name: 'jetton_transfers',
  comment: 'One row per transfer of jettons that the wallet of the sender carried out.',
  notes: `Wallets that no master confirms, and transfers that failed, are left out: anybody can send messages
that look like transfers of any amount.`,
  from: `from jetton_transfers t ${jetton('t.jetton_id')}
  ${account('s', 't.source_id')} ${account('d', 't.destination_id')} ${account('w', 't.account_id')}
  where t.confirmed and not t.aborted`,
  columns: {
    ...times('t.now'),
    ...JETTON,
    decimals: [decimals('j'), 'Digits after the decimal point of a whole unit.'],
    source: [address('s'), 'Owner of the sending wallet.'],
    destination: [address('d'), 'Owner of the receiving wallet.'],
    amount: [units('t.amount'), 'In whole units.'],
    amount_raw: ['t.amount', 'In the smallest unit.'],
    forward_ton: [ton('t.forward_amount'), 'TON sent on to the receiver.'],
    comment: [
      'analytics.comment_text(t.forward_payload)',
      'Text in the forward payload, possibly an empty one; null: none. Anybody can send any text.',
    ],
    delivered: [
      `(select not r.aborted from messages m join transactions r on r.in_msg_lt = m.lt
      and r.in_msg_account_id = m.account_id and r.account_id = m.destination_id
      where m.account_id = t.account_id and m.lt > t.lt and m.lt <= t.lt + 255
        and m.opcode = ${OPCODES.internalTransfer}
      order by m.lt limit 1)`,
      'The wallet of the receiver took it; false: it was returned; null: not received yet.',
    ],
    lt: ['t.lt', 'Logical time of the transaction.'],
    wallet: [address('w'), 'The sending jetton wallet.'],
    ...transactionOf('t'),
  },
}

const burns: View = {
  name: 'jetton_burns',
  comment: 'One row per burning of jettons that the wallet carried out.',
  from: `from jetton_burns t ${jetton('t.jetton_id')} ${account('s', 't.owner_id')}
  where t.confirmed and not t.aborted`,
  columns: {
    ...times('t.now'),
    ...JETTON,
    owner: [address('s'), 'Owner of the wallet.'],
    amount: [units('t.amount'), 'In whole units.'],
    amount_raw: ['t.amount', 'In the smallest unit.'],
    lt: ['t.lt', 'Logical time of the transaction.'],
    ...transactionOf('t'),
  },
}

const mints: View = {
  name: 'jetton_mints',
  comment: 'One row per minting of jettons: a wallet took them, and no other wallet had sent them.',
  from: `from ${MINTED.tables}
  ${account('o', 'w.owner_id')} ${account('wa', 't.account_id')} ${jetton('w.jetton_id')}
  where ${MINTED.condition}`,
  columns: {
    ...times('t.now'),
    ...JETTON,
    owner: [address('o'), 'Who got them.'],
    amount: [units('analytics.mint_amount(m.body)'), 'In whole units; null: the message has another layout.'],
    amount_raw: ['analytics.mint_amount(m.body)', 'In the smallest unit.'],
    wallet: [address('wa'), 'The jetton wallet.'],
    lt: ['t.lt', 'Logical time of the transaction.'],
    tx_hash: [hash('t.hash'), 'The transaction, base64.'],
    trace_id: [hash(traceId('t.piece')), 'Hash of the root of its trace, base64.'],
    mc_block_seqno: ['t.mc_block_seqno', COMMITTED],
  },
}

export const JETTON_VIEWS: readonly View[] = [jettons, transfers, burns, mints]
