import { opcode } from './declared.ts'

/** Cocoon. Source: TelegramMessenger/cocoon, its TON contracts. */
export const COCOON = {
  /** Payload in a client's request. */
  refundGranted: opcode('cocoon_client_proxy_refund_granted'),
  /** Orders a wallet to send the message that follows. */
  walletWrapper: 0x9c69f376,
  lastPayout: opcode('cocoon_last_payout_payload'),
  excesses: opcode('cocoon_return_excesses_back'),
  payout: opcode('cocoon_payout'),
  workerRequest: opcode('cocoon_worker_proxy_request'),
  clientRequest: opcode('cocoon_client_proxy_request'),
  workerPayout: opcode('cocoon_payout_payload'),
  proxyPayout: opcode('cocoon_ext_proxy_payout_request'),
  charge: opcode('cocoon_charge_payload'),
  clientTopUp: opcode('cocoon_ext_client_top_up'),
  registerProxy: opcode('cocoon_register_proxy'),
  unregisterProxy: opcode('cocoon_unregister_proxy'),
  clientRegister: opcode('cocoon_owner_client_register'),
  clientChangeSecretHash: opcode('cocoon_owner_client_change_secret_hash'),
  clientRequestRefund: opcode('cocoon_owner_client_request_refund'),
  grantRefund: opcode('cocoon_grant_refund_payload'),
  clientIncreaseStake: opcode('cocoon_owner_client_increase_stake'),
  clientWithdraw: opcode('cocoon_owner_client_withdraw'),
} as const
