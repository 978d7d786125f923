import type { Address, Hash } from './trace.ts'

type Text = string | null
/**
 * Smallest units of the asset beside it, nanotons for TON; also query ids and indexes of items, which exceed
 * 53 bits.
 */
type Amount = bigint | null

/** Sender or receiver side of a swap. `asset` null: TON. */
export interface DexTransfer {
  readonly amount: Amount
  readonly asset: Address | null
  readonly source: Address | null
  readonly destination: Address | null
  readonly source_jetton_wallet: Address | null
  readonly destination_jetton_wallet: Address | null
}

/** One hop of a swap through several pools. Asset null: TON. */
export interface PeerSwap {
  readonly asset_in: Address | null
  readonly amount_in: Amount
  readonly asset_out: Address | null
  readonly amount_out: Amount
}

/** `asset` null: TON. */
export interface AssetAmount {
  readonly asset: Address | null
  readonly amount: Amount
}

/** A new owner of an item, with or without a sale. Absent and null: the trace does not say. */
export interface NftTransferData {
  readonly is_purchase?: boolean | null
  /** Nanotons. */
  readonly price?: Amount
  readonly query_id?: Amount
  /** Bags of cells, base64. */
  readonly custom_payload?: Text
  readonly forward_payload?: Text
  readonly forward_amount?: Amount
  readonly response_destination?: Address | null
  readonly nft_item_index?: Amount
  readonly marketplace?: Text
  /** Who sold the item: the owner before is the contract of the sale. */
  readonly real_prev_owner?: Address | null
  readonly marketplace_address?: Address | null
  /** To the seller, nanotons. */
  readonly payout_amount?: Amount
  readonly payout_comment_encrypted?: boolean | null
  /** The comment is base64. */
  readonly payout_comment_encoded?: boolean | null
  readonly payout_comment?: Text
  readonly royalty_amount?: Amount
}

/** Conditions of a sale or an auction; amounts in nanotons. */
export interface NftListingData {
  readonly nft_item_index?: Amount
  readonly full_price?: Amount
  readonly marketplace_fee?: Amount
  readonly royalty_amount?: Amount
  /** The marketplace gets `mp_fee_factor / mp_fee_base` of the price. */
  readonly mp_fee_factor?: Amount
  readonly mp_fee_base?: Amount
  readonly royalty_fee_base?: Amount
  /** A bid that ends the auction. */
  readonly max_bid?: Amount
  readonly min_bid?: Amount
  readonly marketplace_fee_address?: Address | null
  readonly royalty_address?: Address | null
  readonly marketplace?: Text
}

/**
 * Liquidity for a pool. What was not brought is null, as is the asset for TON; ticks bound a concentrated
 * position.
 */
export interface DexDepositData {
  readonly dex: string
  readonly amount1: Amount
  readonly amount2: Amount
  readonly asset1: Address | null
  readonly asset2: Address | null
  readonly user_jetton_wallet_1: Address | null
  readonly user_jetton_wallet_2: Address | null
  readonly lp_tokens_minted: Amount
  readonly target_asset_1: Address | null
  readonly target_asset_2: Address | null
  readonly target_amount_1: Amount
  readonly target_amount_2: Amount
  /** What vaults sent back. */
  readonly vault_excesses: readonly AssetAmount[]
  readonly tick_lower: number | null
  readonly tick_upper: number | null
  readonly nft_index: Amount
  readonly nft_address: Address | null
}

/** Liquidity from a pool. */
export interface DexWithdrawData {
  readonly dex: string
  readonly amount1: Amount
  readonly amount2: Amount
  readonly asset1_out: Address | null
  readonly asset2_out: Address | null
  readonly user_jetton_wallet_1: Address | null
  readonly user_jetton_wallet_2: Address | null
  readonly dex_jetton_wallet_1: Address | null
  readonly dex_jetton_wallet_2: Address | null
  readonly lp_tokens_burnt: Amount
  readonly dex_wallet_1: Address | null
  readonly dex_wallet_2: Address | null
  readonly burned_nft_index: Amount
  readonly burned_nft_address: Address | null
  readonly tick_lower: number | null
  readonly tick_upper: number | null
  /** Liquidity that did not enter the pool. */
  readonly is_refund: boolean
}

/** Columns that a type fills besides the generic ones; names and meaning as stored. Absent means null. */
export interface Columns {
  readonly source?: Address | null
  readonly source_secondary?: Text
  readonly destination?: Address | null
  readonly destination_secondary?: Text
  readonly asset?: Text
  readonly asset_secondary?: Text
  readonly asset2?: Address | null
  readonly asset2_secondary?: Address | null
  /** Unsigned; for JVault actions the exit code. */
  readonly opcode?: number | null
  readonly amount?: Amount
  readonly value?: Amount
  readonly value_extra_currencies?: Readonly<Record<string, string>>
  readonly ton_transfer_data?: { readonly content: Text; readonly encrypted: boolean }
  readonly jetton_transfer_data?: {
    readonly response_destination: Address | null
    readonly forward_amount: Amount
    readonly query_id: Amount
    readonly custom_payload: Text
    readonly forward_payload: Text
    readonly comment: Text
    readonly is_encrypted_comment: boolean | null
  }
  readonly nft_transfer_data?: NftTransferData
  readonly nft_listing_data?: NftListingData
  readonly nft_mint_data?: { readonly nft_item_index: Amount }
  readonly jetton_swap_data?: {
    readonly dex: string
    readonly sender: Address | null
    readonly dex_incoming_transfer: DexTransfer
    readonly dex_outgoing_transfer: DexTransfer
    /** Empty: one pool. */
    readonly peer_swaps: readonly PeerSwap[]
    readonly min_out_amount: Amount
  }
  readonly change_dns_record_data?: {
    readonly key: string
    readonly value_schema: Text
    readonly value: Text
    readonly flags: number | null
  }
  readonly dex_deposit_liquidity_data?: DexDepositData
  readonly dex_withdraw_liquidity_data?: DexWithdrawData
  readonly staking_data?: {
    readonly provider: string
    readonly ts_nft: Address | null
    readonly tokens_burnt: Amount
    readonly tokens_minted: Amount
  }
  readonly tonco_deploy_pool_data?: {
    readonly jetton0_router_wallet: Address | null
    readonly jetton1_router_wallet: Address | null
    readonly jetton0_minter: Address | null
    readonly jetton1_minter: Address | null
    readonly tick_spacing: number
    /** Square root of the price, times 2^96. */
    readonly initial_price_x96: bigint
    readonly protocol_fee: number
    readonly lp_fee_base: number
    readonly lp_fee_current: number
    readonly pool_active: boolean
  }
  readonly multisig_create_order_data?: {
    readonly query_id: bigint
    readonly order_seqno: bigint
    readonly is_created_by_signer: boolean
    readonly is_signed_by_creator: boolean
    readonly creator_index: number
    /** Unix seconds. */
    readonly expiration_date: number
    readonly order_boc: string
  }
  readonly multisig_approve_data?: { readonly signer_index: number; readonly exit_code: number }
  readonly multisig_execute_data?: {
    readonly query_id: bigint
    readonly order_seqno: bigint
    readonly expiration_date: number
    readonly approvals_num: number
    /** Base64. */
    readonly signers_hash: string
    readonly order_boc: string
  }
  /** Hexadecimal, lower case. */
  readonly change_wallet_key_data?: {
    readonly new_public_key: string
    readonly rotation_signature: string
    readonly encrypted_old_private_key: string
  }
  readonly vesting_send_message_data?: { readonly query_id: bigint; readonly message_boc: string }
  readonly vesting_add_whitelist_data?: {
    readonly query_id: bigint
    readonly accounts_added: readonly (Address | null)[]
  }
  readonly evaa_supply_data?: {
    readonly is_ton: boolean
    readonly asset_id: Text
    readonly master: Address | null
    readonly master_jetton_wallet: Address | null
    readonly recipient_jetton_wallet: Address | null
  }
  readonly evaa_withdraw_data?: {
    readonly is_ton: boolean
    readonly recipient_jetton_wallet: Address | null
    readonly master_jetton_wallet: Address | null
    readonly master: Address | null
    readonly fail_reason: Text
    readonly asset_id: string
  }
  readonly evaa_liquidate_data?: {
    readonly asset_id: string
    readonly fail_reason: Text
    readonly debt_amount: Amount
  }
  /** `period`: seconds. */
  readonly jvault_stake_data?: { readonly period: number; readonly stake_wallet: Address | null }
  /** Two lists of the same length. */
  readonly jvault_claim_data?: {
    readonly claimed_jettons: readonly Address[]
    readonly claimed_amounts: readonly bigint[]
  }
  readonly coffee_create_pool_data?: {
    readonly amount_1: Amount
    readonly amount_2: Amount
    readonly initiator_1: Address | null
    readonly initiator_2: Address | null
    readonly provided_asset: Address | null
    readonly lp_tokens_minted: Amount
  }
  readonly coffee_staking_deposit_data?: {
    readonly minted_item_address: Address | null
    readonly minted_item_index: Amount
  }
  readonly coffee_staking_withdraw_data?: {
    readonly nft_address: Address | null
    readonly nft_index: bigint
    readonly points: bigint
  }
  readonly layerzero_send_data?: {
    readonly send_request_id: bigint
    readonly msglib_manager: string
    readonly msglib: string
    readonly uln: Address | null
    readonly native_fee: bigint
    readonly zro_fee: bigint
    readonly endpoint: Address | null
    readonly channel: Address | null
  }
  readonly layerzero_packet_data?: {
    readonly src_oapp: string
    readonly dst_oapp: string
    readonly src_eid: number
    readonly dst_eid: number
    readonly nonce: bigint
    readonly guid: string
    readonly message: string
  }
  readonly layerzero_dvn_verify_data?: {
    readonly nonce: bigint
    readonly status: string
    readonly dvn: Address | null
    readonly proxy: Address | null
    readonly uln: Address | null
    readonly uln_connection: Address | null
  }
  readonly cocoon_worker_payout_data?: {
    readonly payout_type: string
    readonly query_id: bigint
    readonly new_tokens: bigint
    readonly worker_state: number
    readonly worker_tokens: bigint
  }
  readonly cocoon_proxy_payout_data?: { readonly query_id: bigint }
  readonly cocoon_proxy_charge_data?: CocoonTokens
  readonly cocoon_client_top_up_data?: { readonly query_id: bigint }
  readonly cocoon_register_proxy_data?: { readonly query_id: bigint }
  readonly cocoon_unregister_proxy_data?: { readonly query_id: bigint; readonly seqno: number }
  readonly cocoon_client_register_data?: { readonly query_id: bigint; readonly nonce: bigint }
  readonly cocoon_client_change_secret_hash_data?: {
    readonly query_id: bigint
    readonly new_secret_hash: string
  }
  readonly cocoon_client_request_refund_data?: { readonly query_id: bigint; readonly via_wallet: boolean }
  readonly cocoon_grant_refund_data?: CocoonTokens
  readonly cocoon_client_increase_stake_data?: { readonly query_id: bigint; readonly new_stake: bigint }
  readonly cocoon_client_withdraw_data?: { readonly query_id: bigint; readonly withdraw_amount: bigint }
}

/** Tokens used after it, and the contract that the message named. */
export interface CocoonTokens {
  readonly query_id: bigint
  readonly new_tokens_used: bigint
  readonly expected_address: Text
}

/** One stored action. lt in logical time, times in Unix seconds, hashes base64, addresses raw upper case. */
export interface ActionRow extends Columns {
  readonly trace_id: Hash
  readonly action_id: Hash
  readonly type: string
  readonly start_lt: bigint
  readonly end_lt: bigint
  readonly start_utime: number
  readonly end_utime: number
  readonly mc_seqno_end: number
  readonly trace_end_lt: bigint
  readonly trace_end_utime: number
  readonly trace_mc_seqno_end: number
  readonly trace_external_hash: Hash | null
  readonly trace_external_hash_norm: Hash | null
  readonly success: boolean
  /** Transactions covered, by lt. */
  readonly tx_hashes: readonly Hash[]
  /** Accounts under which the action is found, sorted. */
  readonly accounts: readonly Address[]
  readonly parent_action_id: Hash | null
  /** Block types of the enclosing composites, nearest first. */
  readonly ancestor_type: readonly string[]
  /** Id of the `gasless_request` that it immediately follows from; absent: none. */
  readonly parent_gasless_action?: Hash
}

/** JSON with bigints as decimal strings. */
export const rowToJson = (value: unknown): string =>
  JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? item.toString() : item))
