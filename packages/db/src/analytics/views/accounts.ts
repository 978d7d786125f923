import { ACCOUNT_STATUS } from '@shardwalk/model'
import type { View } from '../define-view.ts'
import { account, address, hash, nameOf, ton } from '../expressions.ts'

const accounts: View = {
  name: 'accounts',
  comment: 'One row per account, as of its newest indexed state.',
  notes: `Accounts that have no transaction since the first indexed block have a row only if they confirm what
another contract is, such as the master of a jetton.`,
  from: `from latest_account_states s ${account('a', 's.account_id')}
  left join analytics.code_names c on c.code_hash = s.code_hash`,
  columns: {
    account: [address('a'), 'The account.'],
    status: [nameOf(ACCOUNT_STATUS, 's.status'), 'Status: only active ones have code.'],
    balance_ton: [ton('s.balance'), 'Balance, TON.'],
    balance_nano: ['s.balance', 'The same in nanotons.'],
    wallet: [
      'c.wallet',
      'Version of the wallet by its code, e.g. wallet_v4r2 or wallet_highload_v3r1; null: it is no wallet, ' +
        'or one of unknown code.',
    ],
    code_name: ['c.name', 'Name of its code if that is known, e.g. jetton_wallet_governed; wallets too.'],
    code_hash: [hash('s.code_hash'), 'Hash of the code, base64; null: none.'],
    code_hash_bytes: [
      's.code_hash',
      "The hash as bytes: where code_hash_bytes = analytics.hash('...') uses the index.",
    ],
    last_time: [
      'to_timestamp(nullif(s.timestamp, 0))',
      'Time of the block of its last transaction; null: that is not indexed.',
    ],
    last_lt: ['s.lt', 'Logical time of its last transaction.'],
    mc_block_seqno: [
      'case when s.timestamp > 0 then s.mc_seqno end',
      'Masterchain block that commits its last transaction; null: that is not indexed.',
    ],
  },
}

export const ACCOUNT_VIEWS: readonly View[] = [accounts]
