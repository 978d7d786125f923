import { bodyFields } from '../decoding/body-fields.ts'

/** tgBTC: what its contracts log. Source: the layouts of the indexed API, compared with mainnet messages. */
export const TGBTC_BODIES = {
  mintEvent: bodyFields('tgbtc_mint_event', {
    amount: 'amount',
    recipient_address: 'address',
    bitcoin_txid: 'hash',
  }),
  burnEvent: bodyFields('tgbtc_burn_event', {
    amount: 'amount',
    sender_address: 'address',
    pegout_address: 'address',
  }),
  newKeyEvent: bodyFields('tgbtc_new_key_event', {
    amount: 'amount',
    new_internal_pubkey: 'bigint',
    pegout_address: 'address',
  }),
  dkgCompletedEvent: bodyFields('tgbtc_dkg_completed_event', {
    timestamp: 'bigint',
    internal_pubkey: 'bigint',
  }),
} as const
