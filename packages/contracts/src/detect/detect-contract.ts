import type { RawAddress } from '@shardwalk/model'
import { isPlainWalletCode } from '../interfaces/interfaces-of.ts'
import { type DnsItem, type DnsZone, detectDnsItem, MAINNET_DNS_ZONES } from './dns.ts'
import { detectJettonMaster, detectJettonWallet, type JettonMaster, type JettonWallet } from './jettons.ts'
import { detectMultisig, detectMultisigOrder, type Multisig, type MultisigOrder } from './multisig.ts'
import { detectNftCollection, detectNftItem, type NftCollection, type NftItem } from './nfts.ts'
import {
  type DedustPool,
  detectDedustPool,
  detectNominatorPool,
  detectStonfiPool,
  type NominatorPool,
  type StonfiPool,
} from './pools.ts'
import type { ContractReader, ContractState } from './ports.ts'
import { detectNftSale, type NftAuction, type NftSale } from './sales.ts'
import { detectTelemint, type TelemintItem } from './telemint.ts'
import { detectVesting, type Vesting } from './vesting.ts'

/** What a contract is by its get-methods. Each kind says who has confirmed it. */
export type Detected =
  | JettonMaster
  | JettonWallet
  | NftCollection
  | NftItem
  | DnsItem
  | NftSale
  | NftAuction
  | TelemintItem
  | Multisig
  | MultisigOrder
  | Vesting
  | NominatorPool
  | DedustPool
  | StonfiPool

/** Name of a kind, e.g. `jetton_master`. */
export type DetectedKind = Detected['kind']

/** What detection may take for granted. */
export interface DetectOptions {
  /** Default: the two zones of mainnet. */
  readonly dnsZones?: readonly DnsZone[]
  /**
   * True for a jetton wallet that was confirmed before and whose master's code has not changed since; it is
   * not confirmed again.
   */
  readonly isKnownJettonWallet?: (claim: {
    readonly owner: RawAddress
    readonly master: ContractState
  }) => boolean
}

/**
 * Detects everything that a contract is according to its get-methods, confirmed by the contracts it refers
 * to. A contract may be several things: a pool is also a jetton master. The result depends on the state only.
 * An empty list for a contract that has rows means that those rows no longer hold.
 */
export async function detectContract(
  contract: ContractState,
  reader: ContractReader,
  { dnsZones = MAINNET_DNS_ZONES, isKnownJettonWallet }: DetectOptions = {},
): Promise<Detected[]> {
  if (isPlainWalletCode(contract.codeHash)) return []
  // Sequential on purpose: after a few methods that run out of time, the reader refuses to run further ones.
  const found: (Detected | undefined)[] = [
    await detectJettonMaster(contract, reader),
    await detectJettonWallet(contract, reader, isKnownJettonWallet),
    await detectNftCollection(contract, reader),
    ...(await detectItem(contract, reader, dnsZones)),
    await detectNftSale(contract, reader),
    await detectMultisig(contract, reader),
    await detectMultisigOrder(contract, reader),
    await detectVesting(contract, reader),
    await detectNominatorPool(contract, reader),
    await detectDedustPool(contract, reader),
    await detectStonfiPool(contract, reader),
  ]
  return found.filter((one) => one !== undefined)
}

/** Domains and Telegram names are NFT items first: without a confirming collection a contract is neither. */
async function detectItem(
  contract: ContractState,
  reader: ContractReader,
  zones: readonly DnsZone[],
): Promise<readonly (Detected | undefined)[]> {
  const item = await detectNftItem(contract, reader)
  if (!item) return []
  return [
    item,
    await detectDnsItem(contract, reader, { item, zones }),
    await detectTelemint(contract, reader),
  ]
}
