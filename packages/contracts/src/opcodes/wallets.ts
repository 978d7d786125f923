import { opcode } from './declared.ts'

/**
 * Bodies of wallets. Source: ton-blockchain/wallet-contract-v5, types.tlb;
 * ton-blockchain/highload-wallet-contract-v3, contracts/scheme.tlb.
 */
export const WALLET = {
  signedExternalV5: opcode('w5_external_signed_request'),
  /** Signed by the owner, and sent by somebody else, who pays for it. */
  signedInternalV5: opcode('w5_internal_signed_request'),
  /** A batch of messages that the wallet sends to itself. */
  internalActionsHighloadV3: opcode('highload_v3_internal_request'),
} as const

/**
 * Requests to a Telegram wallet, behind its owner's signature, and what it reports after a change of its key:
 * the first revisions the former, later ones the latter. Internal requests are sent by others, who pay for
 * them. Source: ton-blockchain/tg-wallet-contract, contracts/WalletTg/messages.tolk.
 */
export const TELEGRAM_WALLET = {
  sendOneInternal: opcode('tg_wallet_send_one_internal'),
  sendOneExternal: opcode('tg_wallet_send_one_external'),
  sendBulkInternal: opcode('tg_wallet_send_bulk_internal'),
  sendBulkExternal: opcode('tg_wallet_send_bulk_external'),
  changeKeyInternal: opcode('tg_wallet_change_public_key_internal'),
  changeKeyExternal: opcode('tg_wallet_change_public_key_external'),
  keyChanged: opcode('tg_wallet_key_changed'),
  rotation: opcode('tg_wallet_rotation_event'),
} as const

/** Plug-ins of wallet v4. Source: ton-blockchain/wallet-contract, func/simple-subscription-plugin.fc. */
export const SUBSCRIPTION = {
  paymentAnswer: opcode('payment_confirmed'),
  paymentRequest: opcode('payment_request'),
  payment: opcode('subscription_payment'),
  destruct: opcode('wallet_plugin_destruct'),
} as const

/** Vesting wallet. Source: ton-blockchain/vesting-contract, contracts/vesting_wallet.fc. */
export const VESTING = {
  send: opcode('vesting_send_message'),
  sendAnswer: opcode('vesting_send_message_response'),
  addWhitelist: opcode('vesting_add_white_list'),
  addWhitelistAnswer: opcode('vesting_add_white_list_response'),
} as const

/** Multisig v2. Source: ton-blockchain/multisig-contract-v2, contracts/op-codes.func. */
export const MULTISIG = {
  newOrder: opcode('mulisig_new_order'),
  initOrder: opcode('multisig_order_init'),
  approve: opcode('multisig_approve'),
  approveAccepted: opcode('multisig_approve_accepted'),
  approveRejected: opcode('multisig_approve_rejected'),
  execute: opcode('multisig_execute'),
  /** Action of an order. */
  actionSendMessage: 0xf1381e5b,
  /** Action of an order. */
  actionUpdateParams: 0x1d0cfbd3,
} as const
