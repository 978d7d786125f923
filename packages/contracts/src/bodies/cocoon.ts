import { loadMsgAddress, type Slice } from '@shardwalk/cells'
import { formatRawAddress } from '@shardwalk/model'
import { bodyFields } from '../decoding/body-fields.ts'

const QUERY = { query_id: 'bigint' } as const
const ORDER = { ...QUERY, send_excesses_to: 'address' } as const
const TOKENS_USED = {
  ...QUERY,
  new_tokens_used: 'bigint',
  expected_my_address: loadAnyAddress,
} as const

/** Cocoon. Source: TelegramMessenger/cocoon, its TON contracts. */
export const COCOON_BODIES = {
  workerRequest: bodyFields('cocoon_worker_proxy_request', {
    owner_address: 'address',
    state: 'number',
    tokens: 'bigint',
  }),
  /** That of the last payout is laid out so too. */
  workerPayout: bodyFields('cocoon_payout_payload', { ...QUERY, new_tokens: 'bigint' }),
  proxyPayout: bodyFields('cocoon_ext_proxy_payout_request', ORDER),
  charge: bodyFields('cocoon_charge_payload', TOKENS_USED),
  grantRefund: bodyFields('cocoon_grant_refund_payload', TOKENS_USED),
  registerProxy: bodyFields('cocoon_register_proxy', QUERY),
  unregisterProxy: bodyFields('cocoon_unregister_proxy', { ...QUERY, seqno: 'number' }),
  clientTopUp: bodyFields('cocoon_ext_client_top_up', {
    ...QUERY,
    top_up_amount: 'amount',
    send_excesses_to: 'address',
  }),
  clientRegister: bodyFields('cocoon_owner_client_register', {
    ...QUERY,
    nonce: 'bigint',
    send_excesses_to: 'address',
  }),
  clientChangeSecretHash: bodyFields('cocoon_owner_client_change_secret_hash', {
    ...QUERY,
    new_secret_hash: 'bigint',
    send_excesses_to: 'address',
  }),
  clientRequestRefund: bodyFields('cocoon_owner_client_request_refund', ORDER),
  clientIncreaseStake: bodyFields('cocoon_owner_client_increase_stake', {
    ...QUERY,
    new_stake: 'amount',
    send_excesses_to: 'address',
  }),
  clientWithdraw: bodyFields('cocoon_owner_client_withdraw', ORDER),
  clientRequest: bodyFields('cocoon_client_proxy_request', {
    payload: (slice) => slice.loadMaybeRefSlice(),
  }),
  refundGranted: bodyFields('cocoon_client_proxy_refund_granted', { coins: 'amount' }),
} as const

/** `MsgAddress`; one outside the chain as `<bits>;<bits as a hexadecimal number>`. */
function loadAnyAddress(slice: Slice): string | null {
  const address = loadMsgAddress(slice)
  if (address.type === 'std') return formatRawAddress(address.address)
  if (address.type !== 'extern') return null
  const { bits, bytes } = address.bits
  const padding = BigInt(bytes.length * 8 - bits)
  return `${bits};${(BigInt(`0x0${bytes.toString('hex')}`) >> padding).toString(16)}`
}
