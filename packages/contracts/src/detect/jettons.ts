import { type RawAddress, sameAddress } from '@shardwalk/model'
import { parseTokenContent, type TokenContent } from '../content/token-content.ts'
import { readStack } from '../get-methods/stack-reader.ts'
import { type ContractReader, type ContractState, callMethod } from './ports.ts'
import { addressValue } from './stack-values.ts'

/** Source: TEP-74 `get_jetton_data`. Supply in the jetton's smallest unit. */
export interface JettonMaster {
  readonly kind: 'jetton_master'
  readonly totalSupply: bigint
  readonly mintable: boolean
  readonly admin: RawAddress | undefined
  readonly content: TokenContent
  readonly walletCodeHash: Buffer
  /**
   * Root hash of the list of owners who may claim amounts that were never minted; undefined when the jetton
   * has no such list. Source: TEP-177.
   */
  readonly airdropRoot: Buffer | undefined
}

/** Source: TEP-74 `get_wallet_data`. `isClaimed`: TEP-176; undefined for jettons that are not mintless. */
export interface JettonWallet {
  readonly kind: 'jetton_wallet'
  /** Any integer: broken contracts return negative numbers and numbers beyond 64 bits. */
  readonly balance: bigint
  readonly owner: RawAddress
  readonly jetton: RawAddress
  readonly isClaimed: boolean | undefined
}

/** A contract whose content cannot be parsed is not a jetton master. */
export async function detectJettonMaster(
  contract: ContractState,
  reader: ContractReader,
): Promise<JettonMaster | undefined> {
  const data = readStack(await callMethod(reader, contract, 'get_jetton_data'), {
    totalSupply: 'int',
    mintable: 'bool',
    admin: 'address?',
    content: 'cell',
    walletCode: 'cell',
  })
  const content = data && parseTokenContent(data.content)
  if (!content) return undefined
  const { totalSupply, mintable, admin, walletCode } = data
  const walletCodeHash = walletCode.hash()
  const airdropRoot = await airdropRootOf(contract, reader)
  return { kind: 'jetton_master', totalSupply, mintable, admin, content, walletCodeHash, airdropRoot }
}

/** Called only when the code is known to have the method, which most masters lack. */
async function airdropRootOf(contract: ContractState, reader: ContractReader): Promise<Buffer | undefined> {
  if (!contract.methods) return undefined
  const result = readStack(await callMethod(reader, contract, 'get_mintless_airdrop_hashmap_root'), {
    root: 'int',
  })
  if (!result || result.root <= 0n || result.root >= 1n << 256n) return undefined
  return Buffer.from(result.root.toString(16).padStart(64, '0'), 'hex')
}

/**
 * Anyone can deploy a contract that claims a balance, so a wallet counts only if its master derives its
 * address from the owner. `isKnown`: this wallet, owner and master were confirmed before and the master's
 * code is unchanged, so the master is not called again.
 */
export async function detectJettonWallet(
  contract: ContractState,
  reader: ContractReader,
  isKnown: (claim: { readonly owner: RawAddress; readonly master: ContractState }) => boolean = () => false,
): Promise<JettonWallet | undefined> {
  const data = readStack(await callMethod(reader, contract, 'get_wallet_data'), {
    balance: 'int',
    owner: 'address',
    jetton: 'address',
    walletCode: 'cell',
  })
  const master = data && (await reader.find(data.jetton))
  if (!data || !master) return undefined
  const isConfirmed =
    isKnown({ owner: data.owner, master }) ||
    (await masterNames(contract.address, data.owner, master, reader))
  if (!isConfirmed) return undefined
  const claimed = readStack(await callMethod(reader, contract, 'is_claimed'), { isClaimed: 'bool' })
  const { balance, owner, jetton } = data
  return { kind: 'jetton_wallet', balance, owner, jetton, isClaimed: claimed?.isClaimed }
}

async function masterNames(
  wallet: RawAddress,
  owner: RawAddress,
  master: ContractState,
  reader: ContractReader,
): Promise<boolean> {
  const answer = readStack(await callMethod(reader, master, 'get_wallet_address', [addressValue(owner)]), {
    wallet: 'address',
  })
  return answer !== undefined && sameAddress(answer.wallet, wallet)
}
