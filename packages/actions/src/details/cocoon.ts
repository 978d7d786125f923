import type { ActionRow } from '../row.ts'
import { amount, type Details, orNull, type Render } from './render.ts'

const ends = (row: ActionRow): Details => ({
  source: orNull(row.source),
  destination: orNull(row.destination),
})
const target = (row: ActionRow): Details => ({ destination: orNull(row.destination) })
const sum = (row: ActionRow): Details => ({ amount: amount(row.amount) })

export const COCOON_DETAILS: Readonly<Record<string, Render>> = {
  cocoon_worker_payout: (row) => ({
    payout_type: orNull(row.cocoon_worker_payout_data?.payout_type),
    query_id: amount(row.cocoon_worker_payout_data?.query_id),
    new_tokens: amount(row.cocoon_worker_payout_data?.new_tokens),
    worker_state: orNull(row.cocoon_worker_payout_data?.worker_state),
    worker_tokens: amount(row.cocoon_worker_payout_data?.worker_tokens),
    ...ends(row),
    ...sum(row),
  }),
  cocoon_proxy_payout: (row) => ({ query_id: amount(row.cocoon_proxy_payout_data?.query_id), ...ends(row) }),
  cocoon_proxy_charge: (row) => ({
    query_id: amount(row.cocoon_proxy_charge_data?.query_id),
    new_tokens_used: amount(row.cocoon_proxy_charge_data?.new_tokens_used),
    expected_address: orNull(row.cocoon_proxy_charge_data?.expected_address),
    ...ends(row),
  }),
  cocoon_client_top_up: (row) => ({
    query_id: amount(row.cocoon_client_top_up_data?.query_id),
    ...ends(row),
    ...sum(row),
  }),
  cocoon_register_proxy: (row) => ({
    query_id: amount(row.cocoon_register_proxy_data?.query_id),
    ...target(row),
  }),
  cocoon_unregister_proxy: (row) => ({
    query_id: amount(row.cocoon_unregister_proxy_data?.query_id),
    seqno: orNull(row.cocoon_unregister_proxy_data?.seqno),
    ...target(row),
  }),
  cocoon_client_register: (row) => ({
    query_id: amount(row.cocoon_client_register_data?.query_id),
    nonce: amount(row.cocoon_client_register_data?.nonce),
    ...ends(row),
  }),
  cocoon_client_change_secret_hash: (row) => ({
    query_id: amount(row.cocoon_client_change_secret_hash_data?.query_id),
    new_secret_hash: orNull(row.cocoon_client_change_secret_hash_data?.new_secret_hash),
    ...ends(row),
  }),
  cocoon_client_request_refund: (row) => ({
    query_id: amount(row.cocoon_client_request_refund_data?.query_id),
    via_wallet: orNull(row.cocoon_client_request_refund_data?.via_wallet),
    ...ends(row),
  }),
  cocoon_grant_refund: (row) => ({
    query_id: amount(row.cocoon_grant_refund_data?.query_id),
    new_tokens_used: amount(row.cocoon_grant_refund_data?.new_tokens_used),
    expected_address: orNull(row.cocoon_grant_refund_data?.expected_address),
    ...ends(row),
    ...sum(row),
  }),
  cocoon_client_increase_stake: (row) => ({
    query_id: amount(row.cocoon_client_increase_stake_data?.query_id),
    new_stake: amount(row.cocoon_client_increase_stake_data?.new_stake),
    ...ends(row),
    ...sum(row),
  }),
  cocoon_client_withdraw: (row) => ({
    query_id: amount(row.cocoon_client_withdraw_data?.query_id),
    withdraw_amount: amount(row.cocoon_client_withdraw_data?.withdraw_amount),
    ...ends(row),
    ...sum(row),
  }),
}
