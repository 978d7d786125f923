// Construction.

// Accounts.
export { AccountHistory, type HistoryQuery } from './accounts/account-history.ts'
export type { AccountSnapshot } from './accounts/account-snapshot.ts'
export { Accounts } from './accounts/accounts.ts'
export { locateResult, locateSource } from './accounts/locate-transaction.ts'
// Blocks.
export type { BackLink } from './blocks/block-proofs.ts'
export type { ChainTransaction, ListedTransaction } from './blocks/block-transactions.ts'
export { type CallScope, within } from './call-scope.ts'
export { createNodeAccess } from './create-node-access.ts'
// Contracts.
export { dnsRoot } from './dns/dns-root.ts'
export { resolveDns } from './dns/resolve-dns.ts'
export { type NodeAccessCode, NodeAccessError } from './errors.ts'
// Messages.
export { estimateFee } from './fees/estimate-fee.ts'
export type { MessageHashes } from './messages/message-hashes.ts'
export { sendMessage } from './messages/send-message.ts'
export type { OnSending, SendOutcome } from './messages/sent-messages.ts'
export type { NodeAccess } from './node-access.ts'
export { readTokenData } from './tokens/read-token-data.ts'
export type { DomainContent, TokenData } from './tokens/token-data.ts'
