import {
  ACCOUNT_STATUS,
  type AccountId,
  type Lt,
  type McBlockSeqno,
  type Nanotons,
  type Workchain,
} from '@shardwalk/model'
import { bytea, defineTable, enumeration, int2, int4, int8, jsonb, timestamptz } from './define-table.ts'

/** `{"<currency id>": "<amount>"}`, both decimal. */
export type ExtraCurrenciesJson = Readonly<Record<string, string>>

/**
 * Written before the rows of a batch, in a transaction of its own; read wherever an id becomes an address.
 */
export const accounts = defineTable('accounts', {
  comment: 'One row per address ever seen.',
  notes: `\`activity\` has numbers of seven bits a byte, the lowest first, all but the last byte with the
eighth bit set: the first period, how many follow without a gap, how many are left out, and so on. Period n
begins at lt n times \`activity_width()\`, 5e12. It never misses a row; it may name periods whose rows were
dropped since, and of an account from before there was the column all until then. \`active_ranges(id, desc)\`
returns it as ranges of lt.`,
  primaryKey: ['id'],
  indexes: { accounts_address_text: 'hash (analytics.address_text(workchain, address))' },
  columns: {
    id: int8<AccountId>('Derived from the address: `deriveAccountId` of packages/model.'),
    workchain: int4<Workchain>('-1 masterchain, 0 basechain.'),
    address: bytea('The 32 bytes after the workchain.'),
    activity: bytea(
      'Periods of lt in which `transactions` or `messages` have rows of it, as account, sender or receiver.',
    ),
  },
})

/** The currencies, or the hash of their dictionary (hex) while no block has shown it. */
export type CurrenciesAfterJson = ExtraCurrenciesJson | string

/** Written by the batch sink; read by the API and by the examination of contracts. */
export const latestAccountStates = defineTable('latest_account_states', {
  comment: 'The newest known state of each account; an older one never overwrites it.',
  notes: `No index, not even a partial one, contains a column that every transaction changes, so nine of
ten updates are heap-only (HOT). Therefore the ranking by balance uses \`balance_rank\`, which most updates
do not change; rows of equal rank are sorted by the query.`,
  primaryKey: ['account_id'],
  indexes: {
    latest_account_states_balance_rank: '(balance_rank)',
    latest_account_states_code_account: '(code_hash, account_id) WHERE (code_hash IS NOT NULL)',
  },
  columns: {
    account_id: int8<AccountId>('The account.'),
    lt: int8<Lt>("Of the account's last transaction."),
    balance: int8<Nanotons>('Balance in nanotons.'),
    mc_seqno: int4<McBlockSeqno>(
      'Masterchain block that commits the block of the last transaction; 0: that is not indexed.',
    ),
    timestamp: int4('`gen_utime` of the block of the last transaction, Unix seconds; 0: not known.'),
    status: int2(`${enumeration(ACCOUNT_STATUS)}.`),
    state_hash: bytea('Hash of the account state cell.'),
    last_trans_hash: bytea('Hash of the last transaction.'),
    code_hash: bytea('Hash of the code cell; null without code.').orNull(),
    data_hash: bytea('Hash of the data cell; null without data.').orNull(),
    frozen_hash: bytea('Hash of the state-init of a frozen account.').orNull(),
    extra_currencies: jsonb<CurrenciesAfterJson>(
      'Amounts by currency id, both decimal; a string: see `hidden_currencies`; null: none.',
    ).orNull(),
    balance_rank: int2('Digits of the balance times 100 plus its two leading digits.').generated(),
  },
})

/** Written by the batch sink; read by the API and by the examination of contracts. */
export const codes = defineTable('codes', {
  comment: 'Contract code, once per hash: from states, and from state-inits of messages.',
  primaryKey: ['code_hash'],
  columns: {
    code_hash: bytea('Hash of the code cell.'),
    boc: bytea('The code as a bag of cells.'),
  },
})

/** Written by the batch sink; read by the API, the examination of contracts and the classifier. */
export const accountData = defineTable('account_data', {
  comment: 'The newest data cell of each account that a block carried complete.',
  primaryKey: ['account_id'],
  columns: {
    account_id: int8<AccountId>('The account.'),
    lt: int8<Lt>('Of the last transaction before that state.'),
    data_hash: bytea('Hash of the data cell.'),
    boc: bytea('The data as a bag of cells.'),
  },
})

/** Written by the batch sink; read and emptied by the examination of contracts. */
export const stateParts = defineTable('state_parts', {
  comment: 'Code and data that blocks carry in part, newer than the newest complete tree.',
  notes: `A block omits cells that the previous state already had. Parts are kept until complete data at
least as new and the newest code are stored. The examination of contracts assembles trees from parts, stored
data, received messages and \`codes\`; each cell is found by its hash.`,
  primaryKey: ['account_id', 'lt'],
  columns: {
    account_id: int8<AccountId>('The account.'),
    lt: int8<Lt>(
      'Of the last transaction before that state; less than all others for parts of a repaired false state.',
    ),
    mc_seqno: int4<McBlockSeqno>('Masterchain block that commits the block.'),
    boc: bytea('Bag of cells with pruned branches in place of what is missing.'),
  },
})

/** Written by the batch sink; read and emptied by the search for such dictionaries. */
export const hiddenCurrencies = defineTable('hidden_currencies', {
  comment: 'Extra currencies of states whose blocks do not show them.',
  notes: `A block omits a dictionary of extra currencies that no transaction changed. Until it is found in
other states of the account or fetched from a lite server, \`transactions.extra_currencies_after\` and
\`latest_account_states.extra_currencies\` hold a JSON string instead of an object: the hash of the
dictionary in hex.`,
  primaryKey: ['account_id', 'lt'],
  indexes: {
    hidden_currencies_due: "(COALESCE(not_before, '-infinity'::timestamp with time zone), account_id, lt)",
  },
  columns: {
    account_id: int8<AccountId>('The account.'),
    lt: int8<Lt>('Of the last transaction before that state.'),
    mc_seqno: int4<McBlockSeqno>('Masterchain block that commits the block.'),
    hash: bytea('Hash of the root of the dictionary.'),
    part: bytea('What the block shows of it, a bag of cells with pruned branches.').orNull(),
    before: jsonb<ExtraCurrenciesJson>(
      'What the newest state held before it was overwritten, or the zerostate.',
    )
      .orNull()
      .setLater(),
    tries: int4('Attempts to find them; null: none.').orNull().setLater(),
    not_before: timestamptz('When the next attempt is due; null: now.').orNull().setLater(),
  },
})
