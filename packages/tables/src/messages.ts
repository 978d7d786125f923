import { type AccountId, type Lt, MESSAGE_KIND, type Nanotons } from '@shardwalk/model'
import type { ExtraCurrenciesJson } from './accounts.ts'
import {
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

/** Bits of `messages.flags`. `system`: no transaction sent it. */
export const MESSAGE_FLAGS = { ihrDisabled: 1, bounce: 2, bounced: 4, system: 8 } as const

/** Source of the fields: block.tlb `CommonMsgInfo`. */
export const messages = defineTable('messages', {
  comment: 'One row per message; partitioned by lt.',
  notes: `See "Message keys" for the key. Most of a state-init is code that others contain too, so code of
100 bytes or more is stored separately: \`init_state\` then has an empty cell in its place and
\`init_code_hash\` refers to \`codes\`. \`joinInitState\` of packages/db restores it; the hash of the stored
bag is not the hash of the state-init.`,
  primaryKey: ['account_id', 'lt'],
  indexes: {
    messages_body_hash8: '(body_hash8)',
    messages_destination: '(destination_id, lt)',
    messages_hash: "hash (hash) WITH (fillfactor='90')",
    messages_lt: '(lt) WHERE (kind <> 1)',
    messages_opcode: '(opcode, lt) WHERE (opcode IS NOT NULL)',
    messages_time: brinByTime('created_at'),
  },
  columns: {
    account_id: int8<AccountId>('The sender; of a message that no transaction sent: the receiver.'),
    lt: int8<Lt>('`created_lt`; of a message that no transaction sent: lt of the receiving transaction.'),
    destination_id: int8<AccountId>('The receiver; null: not an `addr_std`.').orNull(),
    value: int8<Nanotons>('Amount in nanotons; internal messages only.').orNull(),
    fwd_fee: int8<Nanotons>('Forwarding fee in nanotons; internal messages only.').orNull(),
    ihr_fee: int8<Nanotons>(
      'IHR fee in nanotons; before global version 12 only. Null like extra_flags: version not known.',
    ).orNull(),
    import_fee: int8<Nanotons>(
      'Import fee in nanotons; external-in only, null when it does not fit 63 bits.',
    ).orNull(),
    body_hash8: int8("First 8 bytes of the body cell's hash, big-endian, signed."),
    created_at: int4('Unix seconds; null: external-in.').orNull(),
    opcode: int4('First 32 bits of the body, signed; null: the body has fewer.').orNull(),
    kind: int2(`${enumeration(MESSAGE_KIND)}.`),
    flags: int2('Sum of 1 IHR disabled, 2 bounce, 4 bounced, 8 sent by no transaction.'),
    hash: bytea('Hash of the message cell.'),
    hash_norm: bytea('TEP-467 hash of an external-in message where it differs from `hash`.').orNull(),
    body: bytea('Bag of cells; null: the empty cell.').orNull(),
    init_state: bytea('State-init as a bag of cells, perhaps without its code.').orNull(),
    init_code_hash: bytea('Hash of the code that was taken out; null: the state-init is whole.').orNull(),
    external_destination: bytea(
      'External-out: length in bits (2 bytes, big-endian), then the bits.',
    ).orNull(),
    value_extra: jsonb<ExtraCurrenciesJson>(
      'Extra currencies by currency id, both decimal; null: none.',
    ).orNull(),
    extra_flags: numeric('`extra_flags`; since global version 12.').orNull(),
  },
})
