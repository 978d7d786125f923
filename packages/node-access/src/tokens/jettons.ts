import { readTokenContent } from '@shardwalk/contracts'
import { sameAddress } from '@shardwalk/model'
import {
  addressArgument,
  addressOf,
  call,
  cellOf,
  flagOf,
  intOf,
  knownAddress,
  openParent,
  refuse,
  type TokenContract,
  tryCall,
} from './token-contract.ts'
import type { JettonMasterData, JettonWalletData } from './token-data.ts'

/** Source: TEP-74 `get_jetton_data`. */
export async function readJettonMaster(contract: TokenContract): Promise<JettonMasterData> {
  const [supply, mintable, admin, content, code] = await call(contract, {
    method: 'get_jetton_data',
    least: 5,
  })
  return {
    kind: 'jetton_master',
    totalSupply: intOf(supply),
    mintable: flagOf(mintable),
    admin: addressOf(admin),
    content: readTokenContent(cellOf(content)),
    walletCode: cellOf(code),
  }
}

/** Source: TEP-74 `get_wallet_data`. The master must return this contract as the owner's wallet. */
export async function readJettonWallet(contract: TokenContract): Promise<JettonWalletData> {
  const [balance, ownerValue, masterValue, code] = await call(contract, {
    method: 'get_wallet_data',
    least: 4,
  })
  const owner = knownAddress(ownerValue)
  const jetton = knownAddress(masterValue)
  const master = await openParent(contract, jetton)
  const args = [addressArgument(owner)]
  const [address] = await call(master, { method: 'get_wallet_address', least: 1, args })
  if (!sameAddress(knownAddress(address), contract.account.address)) return refuse()
  return {
    kind: 'jetton_wallet',
    balance: intOf(balance),
    owner,
    jetton,
    walletCode: cellOf(code),
    isMintlessClaimed: await readMintlessClaim(contract),
  }
}

/** Source: TEP-177 `is_claimed`. */
async function readMintlessClaim(contract: TokenContract): Promise<boolean | undefined> {
  const { exitCode, stack } = await tryCall(contract, { method: 'is_claimed' })
  const [claimed] = stack
  return exitCode === 0 && stack.length === 1 && claimed?.type === 'int' ? claimed.value !== 0n : undefined
}
