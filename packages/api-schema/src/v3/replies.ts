import { ACCOUNT_STATUS, TRANSACTION_KIND } from '@shardwalk/model'
import * as z from 'zod'
import { oncePerRules, type ProfileRules } from '../profiles.ts'
import { indexedBlocks } from '../streaming/frames.ts'

// Reply schemas, used for OpenAPI and to test the serialisers. Keys are in output order.

/** A hash of 32 bytes in standard base64. */
export const hash = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/)
  .meta({ description: '32 bytes, standard base64' })
/** A raw address: workchain, colon and 64 upper-case hex digits. */
export const address = z
  .string()
  .regex(/^-?\d+:[0-9A-F]{64}$/)
  .meta({ description: 'raw address, upper-case hex' })
/** An integer that may exceed 2^53, as a decimal string: amounts in nanotons, lt. */
export const digits = z
  .string()
  .regex(/^-?\d+$/)
  .meta({ description: 'decimal number' })
const shard = z
  .string()
  .regex(/^[1-9A-F][0-9A-F]{0,15}$/)
  .meta({ description: 'shard id, upper-case hex' })
/** A bag of cells in base64; `te6cc` are the first bytes of its magic number, 0xb5ee9c72. */
export const boc = z
  .string()
  .regex(/^te6cc[A-Za-z0-9+/]+=*$/)
  .meta({ description: 'bag of cells, base64' })
/** Extra currencies; TON is not among them. */
export const currencies = z.record(z.string(), digits).meta({ description: 'amounts by extra currency id' })
/** An integer of at most 53 bits, printed as a number. */
export const int = z.int()
/** `int` ends at 2^53. */
export const longInt = z.number().meta({ type: 'integer' })
/** Status of an account; `nonexist` before its first transaction and after its deletion. */
export const status = z.enum(ACCOUNT_STATUS)

/** Of refusals before the path is examined: clients of API v2, and some of v3, read them. */
const ofAll = { ok: z.literal(false).optional(), result: z.string().optional() }
/** What every refused request of API v3 gets. `code` repeats the HTTP status. */
export const ErrorReply = z
  .strictObject({ error: z.string(), code: int, ...ofAll })
  .meta({ id: 'RequestError' })
/** Refusals of subscriptions are as at TON Center. */
export const StreamRefusal = z
  .strictObject({
    error: z.string(),
    id: z.string().optional(),
    code: int.optional(),
    indexed: indexedBlocks.optional(),
    ...ofAll,
  })
  .meta({ id: 'StreamRefusal' })

const BlockIdReply = z.strictObject({ workchain: int, shard, seqno: int }).meta({ id: 'BlockId' })

/** A block header, under the names of block.tlb where it has the field. */
export const BlockReply = z
  .strictObject({
    workchain: int,
    shard,
    seqno: int,
    root_hash: hash,
    file_hash: hash,
    global_id: int,
    version: int,
    after_merge: z.boolean(),
    before_split: z.boolean(),
    after_split: z.boolean(),
    want_merge: z.boolean(),
    want_split: z.boolean(),
    key_block: z.boolean(),
    vert_seqno_incr: z.boolean(),
    flags: int,
    gen_utime: digits,
    start_lt: digits,
    end_lt: digits,
    validator_list_hash_short: int,
    gen_catchain_seqno: int,
    min_ref_mc_seqno: int,
    prev_key_block_seqno: int,
    vert_seqno: int,
    master_ref_seqno: int,
    rand_seed: hash,
    created_by: hash,
    tx_count: int,
    masterchain_block_ref: BlockIdReply,
    prev_blocks: z.array(BlockIdReply),
  })
  .meta({ id: 'Block' })

const used = z.strictObject({ cells: digits, bits: digits }).meta({ id: 'MsgSize' })
const change = z.enum(['unchanged', 'frozen', 'deleted'])

const ComputePhaseReply = z
  .union([
    z.strictObject({
      skipped: z.literal(true),
      reason: z.enum(['no_state', 'bad_state', 'no_gas', 'suspended']),
    }),
    z.strictObject({
      skipped: z.literal(false),
      success: z.boolean(),
      msg_state_used: z.boolean(),
      account_activated: z.boolean(),
      gas_fees: digits,
      gas_used: digits,
      gas_limit: digits,
      gas_credit: digits.optional(),
      mode: int,
      exit_code: int,
      exit_arg: int.optional(),
      vm_steps: int,
      vm_init_state_hash: hash,
      vm_final_state_hash: hash,
    }),
  ])
  .meta({ id: 'ComputePhase' })

const DescriptionReply = z
  .strictObject({
    type: z.enum(TRANSACTION_KIND),
    aborted: z.boolean().optional(),
    destroyed: z.boolean().optional(),
    credit_first: z.boolean().optional(),
    is_tock: z.boolean().optional(),
    installed: z.boolean().optional(),
    storage_ph: z
      .strictObject({
        storage_fees_collected: digits,
        storage_fees_due: digits.optional(),
        status_change: change,
      })
      .meta({ id: 'StoragePhase' })
      .optional(),
    credit_ph: z
      .strictObject({
        due_fees_collected: digits.optional(),
        credit: digits,
        credit_extra_currencies: currencies.optional(),
      })
      .meta({ id: 'CreditPhase' })
      .optional(),
    compute_ph: ComputePhaseReply.optional(),
    action: z
      .strictObject({
        success: z.boolean(),
        valid: z.boolean(),
        no_funds: z.boolean(),
        status_change: change,
        total_fwd_fees: digits.optional(),
        total_action_fees: digits.optional(),
        result_code: int,
        result_arg: int.optional(),
        tot_actions: int,
        spec_actions: int,
        skipped_actions: int,
        msgs_created: int,
        action_list_hash: hash,
        tot_msg_size: used,
      })
      .meta({ id: 'ActionPhase' })
      .optional(),
    bounce: z
      .strictObject({
        type: z.enum(['negfunds', 'nofunds', 'ok']),
        msg_size: used.optional(),
        req_fwd_fees: digits.optional(),
        msg_fees: digits.optional(),
        fwd_fees: digits.optional(),
      })
      .meta({ id: 'BouncePhase' })
      .optional(),
    split_info: z
      .strictObject({
        cur_shard_pfx_len: int,
        acc_split_depth: int,
        this_addr: z.string(),
        sibling_addr: z.string(),
      })
      .meta({ id: 'SplitInfo' })
      .optional(),
  })
  .meta({ id: 'TransactionDescr' })

const cell = z
  .strictObject({ hash, body: boc, decoded: z.looseObject({}).nullable() })
  .meta({ id: 'MessageContent' })

/** State before or after a transaction; null where only its hash is known. */
export const AccountStateReply = z
  .strictObject({
    hash,
    balance: digits.nullable(),
    extra_currencies: currencies.nullable(),
    account_status: status.nullable(),
    frozen_hash: hash.nullable(),
    data_hash: hash.nullable(),
    code_hash: hash.nullable(),
  })
  .meta({ id: 'AccountState' })

const opcodes = {
  integer: z.int().min(0).max(4294967295),
  hex: z.string().regex(/^0x[0-9a-f]{8}$/),
} as const

const messageReply = (rules: ProfileRules) =>
  z
    .strictObject({
      hash,
      source: address.nullable(),
      destination: address.nullable(),
      value: digits.nullable(),
      value_extra_currencies: currencies.nullable(),
      fwd_fee: digits.nullable(),
      ihr_fee: digits.nullable(),
      extra_flags: digits.nullable(),
      created_lt: digits.nullable(),
      created_at: digits.nullable(),
      opcode: opcodes[rules.opcode].nullable(),
      decoded_opcode: z.string().nullable(),
      ihr_disabled: z.boolean().nullable(),
      bounce: z.boolean().nullable(),
      bounced: z.boolean().nullable(),
      import_fee: digits.nullable(),
      in_msg_tx_hash: hash.optional(),
      out_msg_tx_hash: hash.optional(),
      message_content: cell.nullable(),
      init_state: cell.nullable(),
      hash_norm: hash.optional(),
    })
    .meta({ id: 'Message' })

const transactionReply = (Message: ReturnType<typeof messageReply>) =>
  z
    .strictObject({
      account: address,
      hash,
      lt: digits,
      now: int,
      mc_block_seqno: int,
      trace_id: hash.optional(),
      trace_external_hash: hash.optional(),
      prev_trans_hash: hash,
      prev_trans_lt: digits,
      orig_status: status,
      end_status: status,
      total_fees: digits,
      total_fees_extra_currencies: currencies,
      description: DescriptionReply,
      block_ref: BlockIdReply,
      in_msg: Message.nullable(),
      out_msgs: z.array(Message),
      account_state_before: AccountStateReply,
      account_state_after: AccountStateReply,
      emulated: z.boolean(),
      finality: z.enum(['pending', 'confirmed', 'finalized']),
    })
    .meta({ id: 'Transaction' })

/** Schemas that depend on the profile, and all that contain them. */
export const v3Replies = oncePerRules((rules) => {
  const Message = messageReply(rules)
  const Transaction = transactionReply(Message)
  const blocks = z.array(BlockReply)
  const Transactions = z
    .strictObject({ transactions: z.array(Transaction), address_book: AddressBookReply })
    .meta({ id: 'TransactionsResponse' })
  const Blocks = z.strictObject({ blocks }).meta({ id: 'BlocksResponse' })
  return {
    Message,
    Transaction,
    MasterchainInfo: z.strictObject({ last: BlockReply, first: BlockReply }).meta({ id: 'MasterchainInfo' }),
    Blocks,
    ShardState:
      rules.shardState === 'blocks'
        ? Blocks
        : z
            .strictObject({ address_book: AddressBookReply, transactions: z.array(Transaction), blocks })
            .meta({ id: 'ShardStateResponse' }),
    Transactions,
    Messages: z
      .strictObject({ messages: z.array(Message), address_book: AddressBookReply, metadata: MetadataReply })
      .meta({ id: 'MessagesResponse' }),
  }
})

const AddressBookRowReply = z
  .strictObject({
    user_friendly: z.string().nullable(),
    domain: z.string().nullable(),
    interfaces: z.array(z.string()).nullable(),
  })
  .meta({ id: 'AddressBookRow' })

/** TON Center has one schema for address books in replies and for `/addressBook`, which takes any text. */
const bookKey = z.string().meta({ description: 'raw address; in `/addressBook` the text of the request' })
/** Names and forms of the addresses in a reply, by raw address. */
export const AddressBookReply = z.record(bookKey, AddressBookRowReply).meta({ id: 'AddressBook' })

const TokenInfoReply = z
  .strictObject({
    valid: z.boolean().optional(),
    type: z.string(),
    name: z.string().optional(),
    symbol: z.string().optional(),
    description: z.string().optional(),
    image: z.string().optional(),
    nft_index: z.string().optional(),
    is_nsfw: z.boolean().optional(),
    is_scam: z.boolean().optional(),
    extra: z.looseObject({}).optional(),
  })
  .meta({ id: 'TokenInfo' })

/** Token data of the addresses in a reply; addresses without any are missing. */
export const MetadataReply = z
  .record(
    address,
    z
      .strictObject({ is_indexed: z.boolean(), token_info: z.array(TokenInfoReply) })
      .meta({ id: 'AddressMetadata' }),
  )
  .meta({ id: 'Metadata' })
