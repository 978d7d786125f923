import type { ExtraCurrenciesColumn } from './transactions.ts'

/** Bits of `messages.flags`. */
export const MESSAGE_FLAGS = { ihrDisabled: 1, bounce: 2, bounced: 4, system: 8 } as const

/** One row per message. Key: (account_id, lt), see docs/schema.md. Partitioned by lt. Amounts in nanotons. */
export interface MessagesTable {
  /** The sender; for a message that no transaction sent: the receiver. */
  account_id: bigint
  /** created_lt; for a message that no transaction sent: lt of the receiving transaction. */
  lt: bigint
  /** Null: not an `addr_std` (external-out, or addr_var). */
  destination_id: bigint | null
  value: bigint | null
  fwd_fee: bigint | null
  /** Before global version 12 only. */
  ihr_fee: bigint | null
  /** External-in only; null when it does not fit 63 bits. */
  import_fee: bigint | null
  /** First 8 bytes of the body cell's hash, big-endian, signed. */
  body_hash8: bigint
  /** Unix seconds. */
  created_at: number | null
  /** Signed view of the first 32 bits of the body. */
  opcode: number | null
  /** Index into `MESSAGE_KIND`. */
  kind: number
  /** `MESSAGE_FLAGS`. */
  flags: number
  hash: Buffer
  /** TEP-467 hash where it differs from `hash`. */
  hash_norm: Buffer | null
  /** Bag of cells; null: the empty cell. */
  body: Buffer | null
  /** Bag of cells, without the code that `init_code_hash` names: `joinInitState` puts it back. */
  init_state: Buffer | null
  /** Key of `codes`; null: the state-init is whole. */
  init_code_hash: Buffer | null
  /** External-out only: 2 bytes bit length (big-endian), then the bits. */
  external_destination: Buffer | null
  value_extra: ExtraCurrenciesColumn
  /** Since global version 12; decimal. */
  extra_flags: string | null
}
