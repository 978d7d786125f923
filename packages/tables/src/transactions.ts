import {
  ACCOUNT_STATUS,
  type AccountId,
  type Lt,
  type McBlockSeqno,
  type Nanotons,
  TRANSACTION_KIND,
} from '@shardwalk/model'
import type { CurrenciesAfterJson, ExtraCurrenciesJson } from './accounts.ts'
import {
  bool,
  brinByTime,
  bytea,
  defineTable,
  enumeration,
  int2,
  int4,
  int8,
  jsonb,
  numeric,
} from './define-table.ts'

/** Source of the fields: block.tlb `transaction$0111`. */
export const transactions = defineTable('transactions', {
  comment: 'One row per transaction; partitioned by lt.',
  notes: `The block's shard is the account's top \`shard_len\` bits and the marker bit. A block contains
the state of an account only after its last transaction: for earlier ones \`balance_after\` and the hashes
ending in \`_after\` are null, and only \`state_hash_after\` is known. There is no index on \`now\`: the
masterchain rows of \`blocks\` map a period to a range of lt.`,
  primaryKey: ['account_id', 'lt'],
  indexes: {
    transactions_hash: "hash (hash) WITH (fillfactor='90')",
    transactions_in_msg: '(in_msg_lt) WHERE (in_msg_account_id IS NOT NULL)',
    transactions_lt: '(lt)',
    transactions_piece: '(piece)',
    transactions_time: brinByTime('now'),
  },
  columns: {
    account_id: int8<AccountId>('The account.'),
    lt: int8<Lt>('Logical time of the transaction.'),
    piece: int8('Its piece of a trace: see `trace_pieces`.'),
    prev_trans_lt: int8<Lt>("lt of the account's previous transaction; 0: the first."),
    total_fees: int8<Nanotons>('Fees in nanotons.'),
    in_msg_account_id: int8<AccountId>(
      'Sender of the in message; null: no transaction sent it, or there is none.',
    ).orNull(),
    in_msg_lt: int8<Lt>("lt of the in message's row in `messages`; null: no in message.").orNull(),
    balance_after: int8<Nanotons>(
      'Balance after it, nanotons; null unless it is the last of its block.',
    ).orNull(),
    gas_used: int8('Gas of the compute phase; null: skipped.').orNull(),
    now: int4('Time of the block, Unix seconds.'),
    mc_block_seqno: int4<McBlockSeqno>('Masterchain block that commits it.'),
    block_seqno: int4('Number of its block in the shard.'),
    exit_code: int4('Exit code of the compute phase; null: skipped.').orNull(),
    action_result_code: int4('Result of the action phase; null: there was none.').orNull(),
    kind: int2(`${enumeration(TRANSACTION_KIND)}.`),
    orig_status: int2(`Status before: ${enumeration(ACCOUNT_STATUS)}.`),
    end_status: int2(
      `Status after: ${enumeration(ACCOUNT_STATUS)}. Before global version 13 also 1 of an account whose ` +
        'state is uninit, because the hash of what is frozen is its address: `frozen_hash_after` is null.',
    ),
    shard_len: int2("Length of the prefix of the block's shard, bits."),
    out_msg_count: int2('Number of messages sent.'),
    aborted: bool('`aborted` of the description; null where the kind has none.').orNull(),
    hash: bytea('Hash of the transaction cell.'),
    prev_trans_hash: bytea(
      "Hash of the account's previous transaction; null: it is of the same piece, or there is none.",
    ).orNull(),
    state_hash_before: bytea(
      'Hash of the account state before; null: `state_hash_after` of the previous one, if that is of the ' +
        'same piece, else the account did not exist.',
    ).orNull(),
    state_hash_after: bytea('Hash of the account state after.'),
    code_hash_after: bytea('Hash of the code after it.').orNull(),
    data_hash_after: bytea('Hash of the data after it.').orNull(),
    frozen_hash_after: bytea('Hash of the frozen state after it.').orNull(),
    description: bytea('The phases: `packDescription` of packages/tlb.'),
    total_fees_extra: jsonb<ExtraCurrenciesJson>(
      'Fees in extra currencies by currency id, both decimal; null: none.',
    ).orNull(),
    extra_currencies_after: jsonb<CurrenciesAfterJson>(
      'Extra currencies after it by currency id, both decimal; a string: see `hidden_currencies`; null: ' +
        'none, or not the last of its block.',
    ).orNull(),
    jetton_balance: numeric(
      'Balance in the data after it, if they begin like those of a jetton wallet; null: they do not, or ' +
        'the block does not show them because they did not change.',
    ).orNull(),
  },
})
