export { loadAddressText } from './bodies/address-text.ts'
export { COCOON_BODIES } from './bodies/cocoon.ts'
export { COFFEE_BODIES } from './bodies/coffee.ts'
export { type Comment, isCommentOpcode, readComment, readCommentBytes } from './bodies/comment.ts'
export { DEDUST_BODIES, DEDUST_CPMM_BODIES } from './bodies/dedust.ts'
export { DNS_CATEGORY, type DnsRecord, loadDnsRecord } from './bodies/dns-record.ts'
export { loadEither } from './bodies/either.ts'
export {
  EVAA_BODIES,
  EVAA_LIQUIDATION_ERRORS,
  EVAA_WITHDRAW_FAILURES,
  loadEvaaUserMessage,
} from './bodies/evaa.ts'
export { type GetgemsListing, readGetgemsAuction, readGetgemsSale } from './bodies/getgems-listing.ts'
export { JETTON_BODIES, JETTON_MOVES, jettonBalanceChange } from './bodies/jettons.ts'
export {
  type LayerzeroPacket,
  loadLayerzeroPacket,
  loadLayerzeroSend,
  loadLayerzeroStatus,
} from './bodies/layerzero.ts'
export { DNS_BODIES, NFT_BODIES, NFT_MARKET_BODIES, TELEITEM_BODIES } from './bodies/nft.ts'
export { loadInternalHead, loadRelaxedMessage, type RelaxedMessage } from './bodies/relaxed-message.ts'
export { HIPO_BODIES, JVAULT_BODIES, JVAULT_DATA, LIQUID_STAKING_BODIES } from './bodies/staking.ts'
export { PTON_BODIES, STONFI_V1_BODIES, STONFI_V2_BODIES, stonfiV2Route } from './bodies/stonfi.ts'
export { type DamagedText, decodeText } from './bodies/text.ts'
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
export { contentAttributes, parseTokenContent, type TokenContent } from './content/token-content.ts'
export { readTokenContent, type TokenContentView } from './content/token-content-view.ts'
export type { BodyFields } from './decoding/body-fields.ts'
export { CONSTRUCTOR_COUNT, namedOpcodes, opcodeName } from './decoding/constructors.ts'
export { type BodyOutcome, decodeBody, decodeCell } from './decoding/decode-body.ts'
export { decodeBodies, decodeOpcodes, type OpcodeProblem } from './decoding/decode-lists.ts'
export { type Json, type JsonObject, sortKeys } from './decoding/json.ts'
export {
  type Detected,
  type DetectedKind,
  type DetectOptions,
  detectContract,
} from './detect/detect-contract.ts'
export {
  type DnsItem,
  type DnsRecords,
  type DnsZone,
  detectDnsItem,
  findDnsZones,
  MAINNET_DNS_ZONES,
  TELEGRAM_DNS_ZONE,
  TON_DNS_ZONES,
} from './detect/dns.ts'
export { readJettonBalance, readJettonHolding } from './detect/jetton-data.ts'
export {
  detectJettonMaster,
  detectJettonWallet,
  type JettonMaster,
  type JettonWallet,
} from './detect/jettons.ts'
export { detectMultisig, detectMultisigOrder, type Multisig, type MultisigOrder } from './detect/multisig.ts'
export { detectNftCollection, detectNftItem, type NftCollection, type NftItem } from './detect/nfts.ts'
export {
  type DedustPool,
  detectDedustPool,
  detectNominatorPool,
  detectStonfiPool,
  type Nominator,
  type NominatorPool,
  type StonfiPool,
} from './detect/pools.ts'
export type { ContractReader, ContractState } from './detect/ports.ts'
export { reliedAnswers } from './detect/relied-answers.ts'
export { amountOfSaleFactor, detectNftSale, type NftAuction, type NftSale } from './detect/sales.ts'
export { addressValue } from './detect/stack-values.ts'
export { detectTelemint, type TelemintItem } from './detect/telemint.ts'
export { detectVesting, type Vesting } from './detect/vesting.ts'
export { type DnsEntry, loadDnsEntries, parseDnsRecord, type ReadableDnsRecord } from './dns/dns-entries.ts'
export { decodeDnsName, encodeDnsName } from './dns/dns-name.ts'
export { methodIdsOf } from './get-methods/code-methods.ts'
export { methodId } from './get-methods/method-id.ts'
export { nativeGetter } from './get-methods/native-getters.ts'
export { parseStack, type StackValue, storeStack } from './get-methods/stack.ts'
export { readStack } from './get-methods/stack-reader.ts'
export { CODE_HASH_NAMES, codeHashesOf, codeHashOf, hasCode } from './interfaces/code-hashes.ts'
export {
  INTERFACE_COUNT,
  interfacesOf,
  isPlainWalletCode,
  namedCodes,
  PLAIN_WALLET_CODE_HASHES,
} from './interfaces/interfaces-of.ts'
export { USDT_MASTER } from './known-jettons.ts'
export { type OrderAction, parseMultisigOrder } from './multisig/multisig-order.ts'
export type { OrderBody } from './multisig/multisig-order-body.ts'
export * from './opcodes/index.ts'
export { type RequestedMessage, readRequestedMessages } from './wallets/requested-messages.ts'
export {
  readTelegramKeyChange,
  readTelegramKeyChanged,
  readTelegramRequest,
  type TelegramKeyChange,
  type TelegramRequest,
} from './wallets/telegram-wallet.ts'
export { walletValidUntil } from './wallets/valid-until.ts'
export { isNonBounceableWallet, type WalletState, walletState } from './wallets/wallet-state.ts'
