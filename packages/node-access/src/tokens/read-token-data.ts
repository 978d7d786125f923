import type { BlockId, RawAddress } from '@shardwalk/model'
import { NodeAccessError } from '../errors.ts'
import type { NodeAccess } from '../node-access.ts'
import { readJettonMaster, readJettonWallet } from './jettons.ts'
import { readNftCollection, readNftItem } from './nfts.ts'
import { openContract, unlessAnotherKind } from './token-contract.ts'
import type { TokenData } from './token-data.ts'

/** The order matters: some contracts have the methods of two kinds. */
const KINDS = [readJettonMaster, readJettonWallet, readNftCollection, readNftItem]

/**
 * Reads a jetton, jetton wallet, collection or item through its get-methods, confirmed by its master or
 * collection.
 */
export async function readTokenData(
  node: NodeAccess,
  { address, block }: { readonly address: RawAddress; readonly block: BlockId },
): Promise<TokenData> {
  const contract = await openContract({ node, block }, address)
  if (contract.account.code)
    for (const read of KINDS) {
      const found = await unlessAnotherKind<TokenData>(() => read(contract))
      if (found) return found
    }
  throw new NodeAccessError('not_a_token', 'the contract is no jetton or NFT')
}
