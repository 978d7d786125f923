import { columns, from, type Shape } from './render.ts'

const ENDS = columns('source', 'destination')
const ENDS_AND_AMOUNT = columns('source', 'destination', 'amount')

/** `details` of Cocoon, by type of action. */
export const COCOON_DETAILS: Readonly<Record<string, Shape>> = {
  cocoon_worker_payout: {
    ...from('cocoon_worker_payout_data', 'payout_type', 'query_id', 'new_tokens', 'worker_state'),
    ...from('cocoon_worker_payout_data', 'worker_tokens'),
    ...ENDS_AND_AMOUNT,
  },
  cocoon_proxy_payout: { ...from('cocoon_proxy_payout_data', 'query_id'), ...ENDS },
  cocoon_proxy_charge: {
    ...from('cocoon_proxy_charge_data', 'query_id', 'new_tokens_used', 'expected_address'),
    ...ENDS,
  },
  cocoon_client_top_up: { ...from('cocoon_client_top_up_data', 'query_id'), ...ENDS_AND_AMOUNT },
  cocoon_register_proxy: { ...from('cocoon_register_proxy_data', 'query_id'), ...columns('destination') },
  cocoon_unregister_proxy: {
    ...from('cocoon_unregister_proxy_data', 'query_id', 'seqno'),
    ...columns('destination'),
  },
  cocoon_client_register: { ...from('cocoon_client_register_data', 'query_id', 'nonce'), ...ENDS },
  cocoon_client_change_secret_hash: {
    ...from('cocoon_client_change_secret_hash_data', 'query_id', 'new_secret_hash'),
    ...ENDS,
  },
  cocoon_client_request_refund: {
    ...from('cocoon_client_request_refund_data', 'query_id', 'via_wallet'),
    ...ENDS,
  },
  cocoon_grant_refund: {
    ...from('cocoon_grant_refund_data', 'query_id', 'new_tokens_used', 'expected_address'),
    ...ENDS_AND_AMOUNT,
  },
  cocoon_client_increase_stake: {
    ...from('cocoon_client_increase_stake_data', 'query_id', 'new_stake'),
    ...ENDS_AND_AMOUNT,
  },
  cocoon_client_withdraw: {
    ...from('cocoon_client_withdraw_data', 'query_id', 'withdraw_amount'),
    ...ENDS_AND_AMOUNT,
  },
}
