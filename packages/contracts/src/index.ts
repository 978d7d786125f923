export { COCOON_BODIES } from './bodies/cocoon.ts'
export { COFFEE_BODIES } from './bodies/coffee.ts'
export { isCommentOpcode, readComment, readCommentBytes } from './bodies/comment.ts'
export { DEDUST_BODIES, DEDUST_CPMM_BODIES } from './bodies/dedust.ts'
export { DNS_CATEGORY, loadDnsRecord } from './bodies/dns-record.ts'
export { loadEither } from './bodies/either.ts'
export {
  EVAA_BODIES,
  EVAA_LIQUIDATION_ERRORS,
  EVAA_WITHDRAW_FAILURES,
  loadEvaaUserMessage,
} from './bodies/evaa.ts'
export { readGetgemsAuction, readGetgemsSale } from './bodies/getgems-listing.ts'
export { JETTON_BODIES, JETTON_MOVES, jettonBalanceChange } from './bodies/jettons.ts'
export {
  type LayerzeroPacket,
  loadLayerzeroPacket,
  loadLayerzeroSend,
  loadLayerzeroStatus,
} from './bodies/layerzero.ts'
export { DNS_BODIES, NFT_BODIES, NFT_MARKET_BODIES, TELEITEM_BODIES } from './bodies/nft.ts'
export { loadInternalHead, loadRelaxedMessage } from './bodies/relaxed-message.ts'
export { HIPO_BODIES, JVAULT_BODIES, JVAULT_DATA, LIQUID_STAKING_BODIES } from './bodies/staking.ts'
export { PTON_BODIES, STONFI_V1_BODIES, STONFI_V2_BODIES, stonfiV2Route } from './bodies/stonfi.ts'
export { decodeText } from './bodies/text.ts'
export { TGBTC_BODIES } from './bodies/tgbtc.ts'
export * from './bodies/token-messages.ts'
export { TONCO_BODIES } from './bodies/tonco.ts'
export { MULTISIG_BODIES, SUBSCRIPTION_BODIES, VESTING_BODIES } from './bodies/wallets.ts'
export {
  type AirdropColumns,
  type AirdropItem,
  airdropItem,
  readAirdropList,
} from './content/airdrop-list.ts'
export { contentAttributes, parseTokenContent } from './content/token-content.ts'
export { readTokenContent, type TokenContentView } from './content/token-content-view.ts'
export { CONSTRUCTOR_COUNT, namedOpcodes, opcodeName } from './decoding/constructors.ts'
export { decodeBody, decodeCell } from './decoding/decode-body.ts'
export { decodeBodies, decodeOpcodes } from './decoding/decode-lists.ts'
export type { Json, JsonObject } from './decoding/json.ts'
export {
  type Detected,
  type DetectedKind,
  type DetectOptions,
  detectContract,
} from './detect/detect-contract.ts'
export {
  type DnsZone,
  findDnsZones,
  MAINNET_DNS_ZONES,
  TELEGRAM_DNS_ZONE,
  TON_DNS_ZONES,
} from './detect/dns.ts'
export { readJettonBalance, readJettonHolding } from './detect/jetton-data.ts'
export type { NftItem } from './detect/nfts.ts'
export type { NominatorPool } from './detect/pools.ts'
export type { ContractReader, ContractState } from './detect/ports.ts'
export { reliedAnswers } from './detect/relied-answers.ts'
export { amountOfSaleFactor } from './detect/sales.ts'
export { addressValue } from './detect/stack-values.ts'
export { type DnsEntry, loadDnsEntries, parseDnsRecord } from './dns/dns-entries.ts'
export { decodeDnsName, encodeDnsName } from './dns/dns-name.ts'
export { methodIdsOf } from './get-methods/code-methods.ts'
export { methodId } from './get-methods/method-id.ts'
export { nativeGetter } from './get-methods/native-getters.ts'
export { parseStack, type StackValue, storeStack } from './get-methods/stack.ts'
export { readStack } from './get-methods/stack-reader.ts'
export { unlistedMethodIds } from './get-methods/unlisted-methods.ts'
export { CODE_HASH_NAMES, codeHashesOf, codeHashOf } from './interfaces/code-hashes.ts'
export {
  INTERFACE_COUNT,
  interfacesOf,
  isPlainWalletCode,
  isWalletName,
  namedCodes,
  PLAIN_WALLET_CODE_HASHES,
} from './interfaces/interfaces-of.ts'
export { USDT_MASTER } from './known-jettons.ts'
export { type OrderAction, parseMultisigOrder } from './multisig/multisig-order.ts'
export * from './opcodes/index.ts'
export { type RequestedMessage, readRequestedMessages } from './wallets/requested-messages.ts'
export {
  readTelegramKeyChange,
  readTelegramKeyChanged,
  readTelegramRequest,
} from './wallets/telegram-wallet.ts'
export { walletValidUntil } from './wallets/valid-until.ts'
export { isNonBounceableWallet, walletState } from './wallets/wallet-state.ts'
