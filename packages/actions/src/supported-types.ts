// Action types that a client supports. "Versions" select types; the JSON of a type is the same in all of
// them.

/** Types of the first version. */
export const FIRST_ACTION_TYPES = [
  'call_contract',
  'contract_deploy',
  'ton_transfer',
  'tick_tock',
  'stake_deposit',
  'stake_withdrawal',
  'stake_withdrawal_request',
  'dex_deposit_liquidity',
  'dex_withdraw_liquidity',
  'jetton_transfer',
  'jetton_burn',
  'jetton_mint',
  'jetton_swap',
  'nft_transfer',
  'nft_mint',
  'change_dns',
  'delete_dns',
  'renew_dns',
  'subscribe',
  'unsubscribe',
  'election_deposit',
  'election_recover',
  'auction_bid',
]

const MULTISIG = ['multisig_create_order', 'multisig_approve', 'multisig_execute']
const VESTING = ['vesting_send_message', 'vesting_add_whitelist']
const EVAA = ['evaa_supply', 'evaa_withdraw', 'evaa_liquidate']
const JVAULT = ['jvault_stake', 'jvault_unstake', 'jvault_claim', 'jvault_unstake_request']
const COFFEE = [
  'coffee_create_vault',
  'coffee_create_pool_creator',
  'coffee_create_pool',
  'coffee_mev_protect_hold_funds',
  'coffee_staking_claim_rewards',
  'coffee_staking_deposit',
  'coffee_staking_withdraw',
]
const NFT_MARKET = [
  'nft_put_on_sale',
  'nft_put_on_auction',
  'auction_outbid',
  'nft_cancel_sale',
  'nft_purchase',
  'nft_cancel_auction',
  'nft_finish_auction',
  'teleitem_start_auction',
  'teleitem_cancel_auction',
  'nft_update_sale',
]
const DNS_TRADE = ['dns_purchase', 'dns_release']
const DNS = ['change_dns', 'delete_dns', 'renew_dns', ...DNS_TRADE]
const LAYERZERO = [
  'layerzero_send',
  'layerzero_send_tokens',
  'layerzero_receive',
  'layerzero_commit_packet',
  'layerzero_dvn_verify',
]
const COCOON = [
  'cocoon_worker_payout',
  'cocoon_proxy_payout',
  'cocoon_proxy_charge',
  'cocoon_client_top_up',
  'cocoon_register_proxy',
  'cocoon_unregister_proxy',
  'cocoon_client_register',
  'cocoon_client_change_secret_hash',
  'cocoon_client_request_refund',
  'cocoon_grant_refund',
  'cocoon_client_increase_stake',
  'cocoon_client_withdraw',
]
const TGBTC = [
  'tgbtc_mint',
  'tgbtc_mint_fallback',
  'tgbtc_burn',
  'tgbtc_burn_fallback',
  'tgbtc_new_key',
  'tgbtc_new_key_fallback',
  'tgbtc_dkg_log_fallback',
]

/** An alias may contain aliases. */
const ACTION_ALIASES: Readonly<Record<string, readonly string[]>> = {
  v1: FIRST_ACTION_TYPES,
  v2: [
    'v1',
    ...MULTISIG,
    ...VESTING,
    ...EVAA,
    ...JVAULT,
    'nft_discovery',
    'tonco_deploy_pool',
    ...COFFEE,
    'coffee_mev_protect_failed_swap',
    'unknown',
  ],
  v3: ['v2', ...NFT_MARKET, ...DNS_TRADE, ...LAYERZERO],
  v4: ['v3', ...COCOON],
  v5: ['v4', 'change_wallet_key', 'gasless_request', 'dedust_v2_claim_fees', 'dedust_v2_claim_reward'],
  latest: ['v4'],
  staking: ['stake_deposit', 'stake_withdrawal', 'stake_withdrawal_request'],
  jettons: ['jetton_transfer', 'jetton_burn', 'jetton_mint'],
  nft: ['nft_transfer', 'nft_mint', 'auction_bid'],
  'nft.v3': ['nft', ...NFT_MARKET, ...DNS_TRADE],
  dns: DNS,
  'dns.v2': DNS,
  multisig: MULTISIG,
  vesting: VESTING,
  evaa: EVAA,
  jvault: JVAULT,
  coffee: COFFEE,
  tgbtc: TGBTC,
  layerzero: LAYERZERO,
  cocoon: COCOON,
}

/** Every type that a row may have. */
export const STORED_ACTION_TYPES: readonly string[] = [...expandSupportedTypes(['v5', 'tgbtc'])]

/**
 * Types named by a request: aliases are expanded, unknown words stay as literal names, the first version is
 * always included. `versionHeader` (`X-Actions-Version`, one value) replaces the list; with neither,
 * `latest`.
 */
export function expandSupportedTypes(
  requested: readonly string[] | undefined,
  versionHeader?: string,
): Set<string> {
  const asked = versionHeader ? [versionHeader] : requested && requested.length > 0 ? requested : ['latest']
  const types = new Set<string>()
  const pending = ['v1', ...asked]
  const seen = new Set<string>()
  for (let word = pending.pop(); word !== undefined; word = pending.pop()) {
    if (seen.has(word)) continue
    seen.add(word)
    if (Object.hasOwn(ACTION_ALIASES, word)) pending.push(...ACTION_ALIASES[word]!)
    else types.add(word)
  }
  return types
}

/**
 * Whether replies name the `gasless_request` that an action follows from. A client that does not know the
 * type is not shown that action, and gets what it got before there was the type.
 */
export const knowsGasless = (supported: ReadonlySet<string>): boolean => supported.has('gasless_request')

/** A row is returned when its type is supported and none of its composites is. */
export function isShown(
  row: { readonly type: string; readonly ancestor_type: readonly string[] | null },
  supported: ReadonlySet<string>,
): boolean {
  return supported.has(row.type) && !(row.ancestor_type ?? []).some((type) => supported.has(type))
}
